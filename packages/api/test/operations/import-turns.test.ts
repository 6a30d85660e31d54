import { afterAll, expect, test } from 'bun:test';
import { addProfile } from '@postshelf/testing/contracts/posts/samples';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';

afterAll(databases.closeAll);

/** An object with nearly as many names and values as a line may have. */
const costly = Object.fromEntries(Array.from({ length: 5400 }, (_, index) => [`name ${index}`, index]));

test('an import yields to the event loop between costly lines of one chunk', async () => {
  const api = await startApi();
  const profile = await addProfile(api.ports, api.workspace.id);
  const lines = Array.from({ length: 100 }, (_, index) =>
    JSON.stringify({ profile: profile.id, external_id: `${index}`, published_at: '2026-01-02T03:04:05Z', ...costly }),
  );
  let isOver = false;
  const path = `/v1/workspaces/${api.workspace.id}/posts/import`;
  const sent = api.send('POST', path, lines.join('\n'), { 'Content-Type': 'application/x-ndjson' }).finally(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  const response = await sent;
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ data: { lines: 100, created: 100 } });
  // All lines are stored in one transaction, so without yields between lines, the event loop would make only a few
  // turns.
  expect(turns).toBeGreaterThan(20);
});
