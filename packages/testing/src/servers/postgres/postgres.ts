import { startLocalPostgres } from './local-postgres.ts';
import { startPostgresContainer } from './postgres-container.ts';

/** The process, where it is this test run's own to stop. */
export interface PostgresServer {
  /** Ends every connection at once and recovers as after a crash; resolves when it takes connections again. */
  restart(): Promise<void>;
  /** Ends every connection at once, as a crash does; resolves when it is gone. */
  stop(): Promise<void>;
  /** Starts it again and recovers; resolves when it takes connections. */
  start(): Promise<void>;
  /** Restarts it as a standby, which only reads; resolves when it takes connections. */
  demote(): Promise<void>;
  /** Makes it the primary again. */
  promote(): Promise<void>;
  /** SIGSTOP to what serves the database's connections: they are kept and nothing answers. @param isPaused SIGCONT */
  pause(database: string, isPaused: boolean): Promise<void>;
}

/** A PostgreSQL server whose user may make databases. */
export interface RealPostgres {
  readonly product: string;
  /** Address of a database of it, for making others. */
  readonly url: string;
  readonly server: PostgresServer | null;
}

let found: Promise<RealPostgres | null> | undefined;

/**
 * The one PostgreSQL of this test run: the one that `DATABASE_TEST_URL` names; else one of our own, where its programs are on this
 * machine; else one in a container, if a Docker engine answers; else null, and standard error says what is skipped.
 *
 * @param skipped what a missing server leaves untested
 * @throws Error instead of null where `CI` is set: nothing is skipped there
 */
export async function realPostgres(skipped: string): Promise<RealPostgres | null> {
  found ??= find();
  const postgres = await found;
  if (postgres) return postgres;
  const message = `No PostgreSQL to test with (no DATABASE_TEST_URL, no programs of it, no Docker engine). SKIPPED: ${skipped}`;
  if (process.env.CI) throw new Error(message);
  process.stderr.write(`\n${message}\n\n`);
  return null;
}

async function find(): Promise<RealPostgres | null> {
  const url = process.env.DATABASE_TEST_URL;
  if (url) return { url, product: `PostgreSQL at ${new URL(url).host}`, server: null };
  return (await startLocalPostgres()) ?? (await startPostgresContainer());
}
