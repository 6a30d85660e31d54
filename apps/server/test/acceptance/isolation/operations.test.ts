import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { toolNames } from '../mcp/support/assistant.ts';
import { batches } from './support/batches.ts';
import { mcp, procedureOf, rest, trpc } from './support/face.ts';
import { oddRequests } from './support/odd-requests.ts';
import { operatorShapes, shapes } from './support/requests.ts';
import { closeScene, isolationSuite } from './support/suite.ts';

describe(`isolation over ${rest.name}`, () => isolationSuite(rest, oddRequests));
describe(`isolation over ${trpc.name}`, () => isolationSuite(trpc, batches));
describe(`isolation over ${mcp.name}`, () => isolationSuite(mcp, () => undefined));
afterAll(closeScene);

test('the attacked tRPC procedures are those in docs/reference.md', () => {
  const text = readFileSync(resolve(import.meta.dir, '../../../../../docs/reference.md'), 'utf8');
  const named = Array.from(text.matchAll(/ tRPC `([a-z]+\.[a-z]\w+)`/gi), ([, name]) => name);
  const attacked = [...shapes, ...operatorShapes]
    .filter((shape) => shape.isStream || trpc.takes(shape))
    .map(procedureOf);
  expect(named.sort()).toEqual([...new Set(attacked)].sort());
});

test('every MCP tool is attacked', () => {
  const attacked = new Set(shapes.filter(mcp.takes).map(({ operationId }) => operationId));
  expect([...attacked].sort()).toEqual([...toolNames.keys()].sort());
});
