import { type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';

/**
 * Returns the PostgreSQL server of the tests. If the tests started the server, this function makes it sync its files,
 * which it doesn't do by default. The settings of an external server aren't changed.
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
