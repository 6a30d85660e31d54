import { expect, test } from 'bun:test';
import { addWorkspace, NOW } from '@postshelf/testing/contracts/samples';
import { realPostgres } from '@postshelf/testing/servers/postgres';
import { sql } from 'kysely';
import { SearchTotalsKeeper } from '../../src/postgres/keep-search-totals.ts';
import { openStore } from '../../src/postgres/store.ts';
import { withPostgres } from './support.ts';

const server = await realPostgres('totals of searches over PostgreSQL');
const never = new AbortController().signal;

test.skipIf(!server)(
  'totals of searches are limited in number and age, and stored only for the current version of an existing workspace',
  async () => {
    if (!server) return;
    await withPostgres(server, {}, async (database, url) => {
      const { id: workspaceId } = await addWorkspace(database);
      const store = openStore({ url, size: 2, statementTimeout: 60_000, connectTimeout: 60_000 });
      const keeper = new SearchTotalsKeeper(store);
      const run = (statement: string) => sql.raw(statement).execute(store.reads);
      const keep = async (text: string, version: number, now: number) => {
        store.counted.add({ workspaceId, text, version, items: 7, ids: null });
        await keeper.keep(never, now);
        const { rows } = await sql<{ texts: number; found: boolean; changes: number }>`
        select (select count(*)::integer from media_search_totals) as texts,
          exists (select from media_search_totals where text = ${text}) as found,
          (select count(*)::integer from media_search_changes) as changes`.execute(store.reads);
        return rows[0];
      };
      const addChanges = (from: number, to: number) =>
        run(`insert into media_search_changes (workspace_id, media_id, search_key, items)
        select '${workspaceId}', gen_random_uuid(), 'a ' || n, 1 from generate_series(${from}, ${to}) as n`);
      try {
        expect(await keep('a', 0, NOW)).toEqual({ texts: 1, found: true, changes: 0 });
        expect(await keep('of another base', 1, NOW)).toEqual({ texts: 1, found: false, changes: 0 });
        await addChanges(1, 999);
        expect(await keep('b', 0, NOW + 20_000)).toEqual({ texts: 2, found: true, changes: 999 });
        await addChanges(1000, 1000);
        expect(await keep('c', 0, NOW + 40_000)).toEqual({ texts: 3, found: true, changes: 0 });
        expect((await run(`select text, items::integer from media_search_totals order by text`)).rows).toEqual([
          { text: 'a', items: 1007 },
          { text: 'b', items: 7 },
          { text: 'c', items: 7 },
        ]);
        expect(await keep('of the base before', 0, NOW + 40_000)).toEqual({ texts: 3, found: false, changes: 0 });
        await run(`insert into media_search_totals
        select '${workspaceId}', 'text ' || n, 1, null, ${NOW} + n from generate_series(1, 300) as n`);
        expect(await keep('d', 1, NOW + 50_000)).toEqual({ texts: 256, found: true, changes: 0 });
        expect(await keep('e', 1, NOW + 8 * 86_400_000)).toEqual({ texts: 1, found: true, changes: 0 });
        await addChanges(1, 20_000);
        expect(await keep('f', 1, NOW + 9 * 86_400_000)).toEqual({ texts: 0, found: false, changes: 0 });
        expect(await keep('g', 2, NOW + 10 * 86_400_000)).toEqual({ texts: 1, found: true, changes: 0 });
        await run(`delete from workspaces where id = '${workspaceId}'`);
        expect(await keep('h', 2, NOW + 11 * 86_400_000)).toEqual({ texts: 0, found: false, changes: 0 });
      } finally {
        await store.close();
      }
    });
  },
);
