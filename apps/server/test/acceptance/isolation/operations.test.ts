import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { batches } from './support/batches.ts';
import { procedureOf, rest, trpc } from './support/face.ts';
import { oddRequests } from './support/odd-requests.ts';
import { operatorShapes, shapes } from './support/requests.ts';
import { closeScene, isolationSuite } from './support/suite.ts';

describe(rest.name, () => isolationSuite(rest, oddRequests));
describe(trpc.name, () => isolationSuite(trpc, batches));
afterAll(closeScene);

test('the procedures are those that docs/api.md names', () => {
  const text = readFileSync(resolve(import.meta.dir, '../../../../../docs/api.md'), 'utf8');
  const [, section = ''] = /\n## tRPC\n([\s\S]*?)\n## /.exec(text) ?? [];
  const named = Array.from(section.matchAll(/`([a-z]+\.[a-z]\w+)`/gi), ([, name]) => name);
  const attacked = [...shapes, ...operatorShapes]
    .filter((shape) => shape.isStream || trpc.takes(shape))
    .map(procedureOf);
  expect([...new Set(named)].filter((name) => name !== 'data.httpStatus' && name !== 'data.errors').sort()).toEqual(
    [...new Set(attacked)].sort(),
  );
});
