import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { addWorkspace, sampleFolder } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import {
  makeDatabase,
  type RealPostgres,
  realPostgres,
  runSql,
  type TestDatabase,
  withClient,
} from '@postshelf/testing/servers/postgres';
import { UnusableDatabase } from '../../src/index.ts';
import { openPostgres } from '../../src/open-postgres.ts';
import { expectUnavailable } from './support.ts';

const server = await realPostgres("a role's rights and search path in PostgreSQL");

const GRANT = (role: string) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`;

describe.skipIf(!server)('rights and schemas in PostgreSQL', () => {
  const real = server as RealPostgres;
  const role = `app_${crypto.randomUUID().replaceAll('-', '')}`;
  let database: TestDatabase;
  let url: string;

  beforeAll(() => runSql(real.url, `create role ${role} login password 'secret'`));
  afterAll(() => runSql(real.url, `drop role ${role}`));
  beforeEach(async () => {
    database = await makeDatabase(real);
    const own = new URL(database.url);
    Object.assign(own, { username: role, password: 'secret' });
    url = own.href;
  });
  afterEach(() => database.remove());

  /** Runs statements as the owner of the database. */
  const asOwner = (statements: string): Promise<void> => runSql(database.url, statements);

  const migrateAsOwner = async (): Promise<void> => {
    const opened = await openPostgres(database.url);
    await opened.migrate();
    await opened.close();
  };

  async function migrated(): Promise<unknown> {
    const opened = await openPostgres(url);
    try {
      return await thrownBy(opened.migrate());
    } finally {
      await opened.close();
    }
  }

  function expectLine(error: unknown, ...parts: readonly string[]): void {
    expect(error).toBeInstanceOf(UnusableDatabase);
    for (const part of parts) expect((error as Error).message).toContain(part);
    expect((error as Error).message).not.toMatch(/\n|secret/);
  }

  const tables = (schema: string): Promise<readonly string[]> =>
    withClient(database.url, async (client) => {
      const found = await client.query<{ tablename: string }>(
        'select tablename from pg_tables where schemaname = $1 order by tablename',
        [schema],
      );
      return found.rows.map(({ tablename }) => tablename);
    });

  test('without the right to create tables, the start fails and names the missing GRANT', async () => {
    expectLine(await migrated(), 'SQLSTATE 42501', `GRANT CREATE, USAGE ON SCHEMA public TO ${role}`);
    await asOwner(`grant create, usage on schema public to ${role}`);
    const opened = await openPostgres(url);
    expect((await opened.migrate()).length).toBeGreaterThan(0);
    await opened.close();
  });

  test('without the right to read or write tables, the start fails and names the missing GRANT', async () => {
    await migrateAsOwner();
    expectLine(await migrated(), 'SQLSTATE 42501', GRANT(role));
    await asOwner(`grant select on all tables in schema public to ${role}`);
    expectLine(await migrated(), 'SQLSTATE 42501', 'INSERT on ', GRANT(role));
    await asOwner(GRANT(role));
    const opened = await openPostgres(url);
    expect(await opened.migrate()).toEqual([]);
    await opened.close();
  });

  test('an upgrade by a role that cannot create tables fails and names the missing GRANT', async () => {
    await migrateAsOwner();
    await asOwner(`${GRANT(role)}; delete from kysely_migration`);
    expectLine(await migrated(), 'SQLSTATE 42501', `GRANT CREATE, USAGE ON SCHEMA public TO ${role}`);
  });

  test('after rights are revoked, reads succeed, and changes fail with an error that names the right', async () => {
    await migrateAsOwner();
    await asOwner(GRANT(role));
    const opened = await openPostgres(url);
    try {
      const workspace = await addWorkspace(opened);
      await opened.checkWrites();
      await asOwner(`revoke delete on media from ${role}`);
      expectUnavailable(await thrownBy(opened.checkWrites()), {
        message: expect.stringContaining('DELETE on media'),
      });
      await asOwner(`revoke insert, update, delete on all tables in schema public from ${role}`);
      expect(await opened.workspaces.list()).toEqual([workspace]);
      await opened.check();
      expectUnavailable(await thrownBy(opened.folders.insert(sampleFolder(workspace.id))), {
        message: expect.stringContaining(`(SQLSTATE 42501); run as its owner: ${GRANT(role)}`),
      });
      expectUnavailable(await thrownBy(opened.checkWrites()), { message: expect.stringContaining(GRANT(role)) });
      await asOwner(GRANT(role));
      await opened.checkWrites();
      expect(await opened.folders.insert(sampleFolder(workspace.id))).toBeNull();
    } finally {
      await opened.close();
    }
  });

  test('a server that is read-only by default accepts writes because transactions are declared writable', async () => {
    await migrateAsOwner();
    await asOwner(`${GRANT(role)}; alter role ${role} set default_transaction_read_only = on`);
    try {
      const opened = await openPostgres(url);
      await opened.checkWrites();
      await addWorkspace(opened);
      await opened.close();
    } finally {
      await asOwner(`alter role ${role} reset default_transaction_read_only`);
    }
  });

  const setPath = (path: string): Promise<void> =>
    asOwner(`alter role ${role} in database "${new URL(url).pathname.slice(1)}" set search_path = ${path}`);

  test('with a search path to another schema, no second library is created', async () => {
    await migrateAsOwner();
    await asOwner(`${GRANT(role)}; create schema other authorization ${role}`);
    const before = await openPostgres(url, { poolSize: 1 });
    await before.check();
    for (const path of ['other', 'other, public', 'other, nowhere']) {
      await setPath(path);
      const error = await migrated();
      expectLine(error, 'The library is in the schema public', `(${path})`, 'SET search_path = public');
      expect(await tables('other')).toEqual([]);
    }
    await setPath('nowhere');
    expectLine(await migrated(), 'names no schema', 'SET search_path = public');
    // Existing sessions keep their search path.
    await before.check();
    await before.close();
    await setPath('other');
    const after = await openPostgres(url);
    expectUnavailable(await thrownBy(after.check()), { message: expect.stringContaining('The library is in') });
    expectUnavailable(await thrownBy(after.workspaces.list()), { code: '42P01' });
    await setPath('public');
    await after.close();
  });

  test('a library is created in the schema that the search path names', async () => {
    await asOwner(`create schema shelf authorization ${role}`);
    await setPath('shelf, public');
    const opened = await openPostgres(url);
    expect((await opened.migrate()).length).toBeGreaterThan(0);
    expect(await opened.migrate()).toEqual([]);
    await opened.check();
    await opened.checkWrites();
    await opened.close();
    expect(await tables('shelf')).toContain('media');
    expect(await tables('public')).toEqual([]);
  });

  test("another program's tables with the same names are reported and left unchanged", async () => {
    await asOwner(`grant create, usage on schema public to ${role};
      create table media (id int); create table posts (id int); create table invoices (id int)`);
    expectLine(await migrated(), 'tables of another program (media, posts)', 'a database of its own');
    expect(await tables('public')).toEqual(['invoices', 'media', 'posts']);
  });

  test("another program's migrations table is not mistaken for ours", async () => {
    await asOwner(`grant create, usage on schema public to ${role};
      create table kysely_migration (name text primary key, timestamp text);
      insert into kysely_migration values ('2024-init', 'x'); grant select on kysely_migration to ${role}`);
    expectLine(await migrated(), 'belongs to another program', '2024-init', 'a database of its own');
    expect(await tables('public')).toEqual(['kysely_migration']);
  });

  test("a library can be created although another schema of the search path has another program's tables", async () => {
    await asOwner(`create schema theirs; create table theirs.kysely_migration (name text primary key, timestamp text);
      insert into theirs.kysely_migration values ('2024-init', 'x'); create schema shelf authorization ${role};
      grant usage on schema theirs to ${role}; grant select on all tables in schema theirs to ${role}`);
    await setPath('shelf, theirs');
    const opened = await openPostgres(url);
    expect((await opened.migrate()).length).toBeGreaterThan(0);
    await opened.check();
    await opened.close();
    expect(await tables('theirs')).toEqual(['kysely_migration']);
  });
});
