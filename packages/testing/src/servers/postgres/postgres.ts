import { hasContainerEngine, wantsContainers } from '../container-engine.ts';
import { startLocalPostgres } from './local-postgres.ts';
import type { RealPostgres } from './real-postgres.ts';

let found: Promise<RealPostgres | null> | undefined;

/**
 * Returns the one PostgreSQL of this test run: the one that `DATABASE_TEST_URL` names; otherwise one started here, if
 * its programs are on this machine; otherwise one in a container, if a Docker engine answers. If there is none, returns
 * null and reports on standard error what is skipped.
 *
 * @param skipped what a missing server leaves untested
 * @throws Error if there is none and `CI` is set, because CI must not skip tests
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

/** The same image as in docs/deploy/compose.yaml. */
const IMAGE = 'postgres:17-bookworm';
const PORT = 5432;
const PASSWORD = crypto.randomUUID();

/** Starts PostgreSQL in a container that is removed with the test run; returns null if no container engine answers. */
async function startPostgresContainer(): Promise<RealPostgres | null> {
  if (!(await hasContainerEngine())) return null;
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ POSTGRES_USER: 'postshelf', POSTGRES_PASSWORD: PASSWORD })
    .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=200'])
    .withExposedPorts(PORT)
    // The image starts the server twice, the first time to set it up.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  const host = `${container.getHost()}:${container.getMappedPort(PORT)}`;
  return { product: IMAGE, url: `postgres://postshelf:${PASSWORD}@${host}/postgres`, server: null };
}
