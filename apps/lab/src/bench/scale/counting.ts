import { withClient } from '@postshelf/testing/servers/postgres';
import Database from 'better-sqlite3';
import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';

const ROUNDS = 9;
const COUNT = 'select count(*) as total from media where cover_of is null and workspace_id =';

/** What page 1 would take more if its total were counted by the index, ms. */
export async function countingInPostgres(url: string, workspace: string): Promise<Figure> {
  return withClient(url, (client) =>
    timed('PostgreSQL', async () => void (await client.query(`${COUNT} '${workspace}'`))),
  );
}

export async function countingInSqlite(file: string, workspace: string): Promise<Figure> {
  const database = new Database(file, { readonly: true });
  try {
    const query = database.prepare(`${COUNT} '${workspace}'`);
    return await timed('SQLite', async () => void query.get());
  } finally {
    database.close();
  }
}

async function timed(name: string, count: () => Promise<void>): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await count();
    times.push(performance.now() - start);
  }
  const { median, lowest, highest } = spreadOf(times);
  return { what: `${name}: counting the media instead`, value: median, unit: 'ms', spread: [lowest, highest] };
}
