import { expect, test } from 'bun:test';
import { addWorkspace, sampleImage } from '@postshelf/testing/contracts/samples';
import { realPostgres, withClient } from '@postshelf/testing/servers/postgres';
import { withPostgres } from '../postgres/support.ts';

const server = await realPostgres("an earlier version's log of searches over PostgreSQL");

test.skipIf(!server)(
  "keeping the search index empties an earlier version's log and outdates what it counted",
  async () => {
    if (!server) return;
    await withPostgres(server, {}, async (database, url) => {
      const [kept, removed, counted] = [
        await addWorkspace(database),
        await addWorkspace(database),
        await addWorkspace(database),
      ];
      for (const { id } of [kept, removed]) await database.media.insert([sampleImage(id)]);
      await withClient(url, async (client) => {
        await client.query(`
        insert into media_search_bases values ('${counted.id}', 7);
        insert into media_search_totals values ('${counted.id}', 'text', 1, null, 0);
        delete from media where workspace_id = '${removed.id}';
        delete from workspaces where id = '${removed.id}'`);
        expect((await client.query('select from media_search_changes')).rowCount).toBeGreaterThan(1);
        await database.keepSearchIndex(new AbortController().signal);
        for (const table of ['media_search_changes', 'media_search_totals']) {
          expect((await client.query(`select from ${table}`)).rowCount).toBe(0);
        }
        const { rows } = await client.query('select workspace_id, version::integer from media_search_bases');
        expect(new Map(rows.map((row) => [row.workspace_id, row.version]))).toEqual(
          new Map([
            [kept.id, 1],
            [counted.id, 8],
          ]),
        );
      });
    });
  },
);
