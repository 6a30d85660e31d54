import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { serve } from '../../imports/support/answers.ts';
import { eventually, loopback } from '../../imports/support/imports.ts';
import { Origin } from '../../imports/support/origin.ts';
import { mp4, png } from '../../support/fixtures.ts';
import { World } from '../../support/world.ts';
import { strangersClient } from './sample.ts';

setDefaultTimeout(30_000);

let world: World;
let origin: Origin;
let client: ReturnType<typeof strangersClient>;
let workspace: string;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  client = strangersClient(`${world.server.url}/v1`, String(world.tokens.all));
  workspace = String(world.ids.workspace);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

// The type checker reads sample.ts with the rest of the project.
test('the types are what openapi-typescript makes of the document; `npm run openapi` renews them', async () => {
  const document = new URL('../../../../../../docs/openapi.json', import.meta.url);
  const types = `${COMMENT_HEADER}${astToString(await openapiTS(document))}`;
  expect(readFileSync(resolve(import.meta.dir, 'api.d.ts'), 'utf8')).toBe(types);
});

test('uploads files, and lists them page by page', async () => {
  const files = [new File([png().slice()], 'beach.png'), new File([mp4().slice()], 'film.mp4')];
  const items = await client.upload(workspace, files, 'Summer');
  expect(items.map(({ name, label, status }) => [name, label, status])).toEqual([
    ['beach.png', 'Summer', 'active'],
    ['film.mp4', 'Summer', 'active'],
  ]);
  const { ids, total, next } = await client.list(workspace, 'active');
  expect({ ids: ids.length, total }).toEqual({ ids: 1, total: 2 });
  expect(next).toContain('page=2');
});

test('imports by URL, and polls until the item is active', async () => {
  const { id, status } = await client.importUrl(workspace, origin.page('film.mp4', serve(mp4())).url);
  expect(status).toBe('processing');
  const item = await eventually('the import is over', async () => {
    const now = await client.poll(id);
    return now.status === 'processing' ? undefined : now;
  });
  expect(item).toMatchObject({ status: 'active', time: 2, thumbnail: { status: 'active' } });
});

test('hears which fields were refused', async () => {
  expect(await client.refused(workspace)).toEqual({ name: ['The name field is required.'] });
});
