import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { addFolder, addWorkspace, sampleFolder } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import {
  makeDatabase,
  type PgBouncer,
  type RealPostgres,
  realPostgres,
  startPgBouncer,
  type TestDatabase,
  withClient,
} from '@postshelf/testing/servers/postgres';
import { UnusableDatabase } from '../../src/index.ts';
import { openPostgres } from '../../src/open-postgres.ts';
import { expectUnavailable } from './support.ts';

const SKIPPED = 'PostgreSQL behind PgBouncer';
const server = await realPostgres(SKIPPED);
const session = server && (await startPgBouncer(SKIPPED, server, 'session'));

describe.skipIf(!server || !session)('PostgreSQL behind PgBouncer', () => {
  const real = server as RealPostgres;
  const pooler = session as PgBouncer;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await makeDatabase(real);
  });
  afterAll(async () => {
    await pooler.stop();
    await database.remove();
  });

  test('works in session mode, including the configured timeouts', async () => {
    const opened = await openPostgres(pooler.through(database.url), { poolSize: 3, statementTimeoutMs: 1_500 });
    try {
      expect((await opened.migrate()).length).toBeGreaterThan(0);
      await opened.check();
      await opened.checkWrites();
      const { id } = await addWorkspace(opened);
      const folders = await Promise.all(Array.from({ length: 12 }, () => addFolder(opened, id)));
      for (const folder of folders) expect(await opened.folders.find(folder.id)).toEqual(folder);
      await withClient(database.url, async (other) => {
        await other.query('begin');
        await other.query('lock table folders in exclusive mode');
        // Each of the pool's three connections runs one of these writes.
        const late = Array.from({ length: 3 }, () => thrownBy(opened.folders.insert(sampleFolder(id))));
        for (const error of await Promise.all(late)) expectUnavailable(error, { code: '57014' });
        await other.query('rollback');
      });
    } finally {
      await opened.close();
    }
  });

  test('opens in session mode with a single connection', async () => {
    const narrow = (await startPgBouncer(SKIPPED, real, 'session', 1)) as PgBouncer;
    try {
      const url = narrow.through(database.url);
      // The check for shared sessions waits this long for a second connection, which this pooler never has.
      await (await openPostgres(url, { poolSize: 1, connectTimeoutMs: 4_000 })).close();
    } finally {
      await narrow.stop();
    }
  });

  for (const [mode, poolSize] of [
    ['transaction', 20],
    ['transaction', 1],
    ['statement', 20],
  ] as const) {
    test(`is refused in ${mode} mode with ${poolSize} connections, and the message names the remedy`, async () => {
      const other = (await startPgBouncer(SKIPPED, real, mode, poolSize)) as PgBouncer;
      try {
        const error = await thrownBy(openPostgres(other.through(database.url)));
        expect(error).toBeInstanceOf(UnusableDatabase);
        expect(`${error}`).toContain('set pool_mode = session');
        expect(`${error}`).not.toContain('\n');
      } finally {
        await other.stop();
      }
    });
  }
});
