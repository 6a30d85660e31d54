import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { at, type Reply } from '../support/reply.ts';
import type { Server } from '../support/server.ts';
import { World } from '../support/world.ts';

let world: World;
let second: Server;

beforeAll(async () => {
  world = await World.open();
  second = await world.startAnother();
});

afterAll(async () => {
  await second.end();
  await world.close();
});

/** Sends the same request to one process or the other. */
function call(process: number, method: string, path: string, json?: object): Promise<Reply> {
  const own = world.server;
  world.server = process % 2 === 0 ? own : second;
  const reply = world.call(`${method} ${path}`, json === undefined ? {} : { json });
  world.server = own;
  return reply;
}

const folders = '/workspaces/{workspace}/media_library/folders';

function statuses(replies: readonly Reply[]): number[] {
  return replies.map((reply) => reply.status).sort();
}

// The repository's contract tests races within one process (packages/testing/src/contracts/folders/races.ts).
describe('concurrent requests to two processes', () => {
  test('create one folder from eight spellings of one name', async () => {
    const spellings = ['Café', 'CAFÉ', 'Cafe\u0301', ' café '];
    for (let round = 0; round < 3; round++) {
      const parent = await world.folder(`Round ${round}`);
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          call(index, 'POST', folders, { name: spellings[index % 4], parent_id: parent }),
        ),
      );
      expect(statuses(replies)).toEqual([201, 422, 422, 422, 422, 422, 422, 422]);
      const list = await world.call(`GET ${folders}?parent_id=${parent}`);
      expect(at(list.json, 'meta', 'total')).toBe(1);
    }
  });

  test('move only one of two folders below each other', async () => {
    for (let round = 0; round < 6; round++) {
      const a = await world.folder(`A ${round}`);
      const b = await world.folder(`B ${round}`);
      const replies = await Promise.all([
        call(0, 'PATCH', `/media_library/folders/${a}`, { parent_id: b }),
        call(1, 'PATCH', `/media_library/folders/${b}`, { parent_id: a }),
      ]);
      expect(statuses(replies)).toEqual([200, 422]);
    }
  });

  test('leave no orphan when a folder is deleted while something is added to it', async () => {
    for (let round = 0; round < 6; round++) {
      const id = await world.folder(`Doomed ${round}`);
      const [deleted, child] = await Promise.all([
        call(0, 'DELETE', `/media_library/folders/${id}`),
        call(1, 'POST', folders, { name: 'Child', parent_id: id }),
      ]);
      expect([`${deleted.status} ${child.status}`]).toContainEqual(expect.stringMatching(/^(204 422|422 201)$/));
    }
    for (let round = 0; round < 3; round++) {
      const id = await world.folder(`Doomed too ${round}`);
      const [deleted, stored] = await Promise.all([
        call(1, 'DELETE', `/media_library/folders/${id}`),
        world.upload([field('folder_id', id), file('a.png', png())]),
      ]);
      expect(`${deleted.status} ${stored.status}`).toMatch(/^(204 422|422 201)$/);
    }
  });
});
