import { type RealPostgres, realPostgres, runSql } from '@postshelf/testing/servers/postgres';

/**
 * The server of tests, which doesn't sync; what is measured here does, as far as we may say so.
 *
 * @throws Error where there is none
 */
export async function syncedPostgres(benchmark: string): Promise<RealPostgres> {
  const postgres = await realPostgres(benchmark);
  if (!postgres) throw new Error('The benchmark needs a PostgreSQL server (docs/testing.md).');
  if (postgres.server === null) return postgres;
  for (const setting of ['fsync', 'full_page_writes']) await runSql(postgres.url, `alter system set ${setting} = on`);
  await runSql(postgres.url, 'select pg_reload_conf()');
  return postgres;
}
