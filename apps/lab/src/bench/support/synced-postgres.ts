import { type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';

/**
 * Returns the test server, which doesn't sync by default, with syncing switched on as far as possible.
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
