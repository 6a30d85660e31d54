import { type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';

/**
 * Returns the test server with syncing enabled as far as possible. By default it doesn't sync.
 *
 * @throws Error if there is no test server
 */
export async function syncedPostgres(benchmark: string): Promise<RealPostgres> {
  const postgres = await realPostgres(benchmark);
  if (!postgres) throw new Error('The benchmark needs a PostgreSQL server (docs/testing.md).');
  if (postgres.server === null) return postgres;
  for (const setting of ['fsync', 'full_page_writes']) await runSql(postgres.url, `alter system set ${setting} = on`);
  await runSql(postgres.url, 'select pg_reload_conf()');
  return postgres;
}
