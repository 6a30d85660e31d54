import { wantsContainers } from '../container-engine.ts';
import { startLocalPostgres } from './local-postgres.ts';
import { startPostgresContainer } from './postgres-container.ts';
import type { RealPostgres } from './real-postgres.ts';

let found: Promise<RealPostgres | null> | undefined;

/**
 * Returns the one PostgreSQL of this test run: the one that `DATABASE_TEST_URL` names; otherwise one started here, if
 * its programs are on this machine; otherwise one in a container, if a Docker engine answers. If there is none, returns
 * null and reports on standard error what is skipped.
 *
 * @param skipped what a missing server leaves untested
 * @throws Error instead if `CI` is set, because nothing is skipped there
 */
export async function realPostgres(skipped: string): Promise<RealPostgres | null> {
  found ??= find();
  const postgres = await found;
  if (postgres) return postgres;
  const message = `No PostgreSQL to test with (no DATABASE_TEST_URL, no Docker engine; apt-get install postgresql). SKIPPED: ${skipped}`;
  if (process.env.CI) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
  return null;
}

async function find(): Promise<RealPostgres | null> {
  const url = process.env.DATABASE_TEST_URL;
  if (url) return { url, product: `PostgreSQL at ${new URL(url).host}`, server: null };
  return (wantsContainers() ? null : await startLocalPostgres()) ?? (await startPostgresContainer());
}
