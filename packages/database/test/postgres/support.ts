import { expect } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { makeDatabase, type RealPostgres } from '@postshelf/testing/servers/postgres';
import type { Database } from '../../src/index.ts';
import { openPostgres, type PostgresOptions } from '../../src/open-postgres.ts';

/** Runs a test on a new, migrated database that is opened with the given options. */
export async function withPostgres(
  server: RealPostgres,
  options: PostgresOptions,
  test: (database: Database, url: string) => Promise<void>,
): Promise<void> {
  const { url, remove } = await makeDatabase(server);
  try {
    const database = await openPostgres(url, options);
    try {
      await database.migrate();
      await test(database, url);
    } finally {
      await database.close();
    }
  } finally {
    await remove();
  }
}

/** Expects the error to be a refusal `unavailable`. @param cause the expected properties of the error's cause */
export function expectUnavailable(error: unknown, cause: object = {}): void {
  expect(error).toBeInstanceOf(Refusal);
  expect(error).toMatchObject({ problem: { code: 'unavailable' }, cause });
}
