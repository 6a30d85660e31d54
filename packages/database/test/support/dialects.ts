import { afterAll, expect } from 'bun:test';
import { join } from 'node:path';
import { makeDatabase, realPostgres } from '@postshelf/testing/servers/postgres';
import { Client } from 'pg';
import type { Database } from '../../src/index.ts';
import type { Migrations } from '../../src/migrations/migrate.ts';
import { POSTGRES_MIGRATIONS } from '../../src/migrations/postgres/index.ts';
import { SQLITE_MIGRATIONS } from '../../src/migrations/sqlite/index.ts';
import { openStore as openPostgresStore } from '../../src/postgres/store.ts';
import { Sqlite } from '../../src/sqlite/connection/native.ts';
import { openStore as openSqliteStore } from '../../src/sqlite/store.ts';
import type { Queries } from '../../src/store/dialect.ts';
import type { Store } from '../../src/store/store.ts';
import { OWN_TABLES } from '../../src/store/tables.ts';
import { openAt } from './open-at.ts';
import { scratchFolder } from './scratch.ts';

/** The store of a database, through which tests write rows that no repository would write. */
export type OpenedStore = Store & { readonly reads: Queries; close(): Promise<void> };

/** The functions and properties that tests need for a kind of database. */
export interface TestDialect {
  readonly name: string;
  readonly migrations: Migrations;
  /** Expected properties of the error when the schema refuses a statement. */
  readonly refused: object;
  /** Opens a connection with which all rows of a database can be removed. */
  emptier(address: string): Promise<{ empty(): Promise<void>; close(): Promise<void> }>;
  /** Creates an empty database without a schema. */
  make(): Promise<{ readonly address: string; remove(): Promise<void> }>;
  openStore(address: string): Promise<OpenedStore>;
}

const DELETIONS = OWN_TABLES.map((table) => `delete from ${table};`).join(' ');

export const SQLITE: TestDialect = {
  name: 'SQLite',
  migrations: SQLITE_MIGRATIONS,
  refused: { code: expect.stringMatching(/^SQLITE_CONSTRAINT_/) },
  make: async () => {
    const { path, remove } = await scratchFolder();
    return { address: join(path, 'postshelf.db'), remove };
  },
  emptier: async (address) => {
    const database = new Sqlite(address);
    // Folders refer to each other, so no order of deletions would satisfy the foreign keys.
    database.pragma('foreign_keys = off');
    return {
      empty: async () => void database.exec(`begin immediate; ${DELETIONS} commit`),
      close: async () => void database.close(),
    };
  },
  openStore: (address) => openSqliteStore(address, 60_000),
};

const postgres = (server: Parameters<typeof makeDatabase>[0]): TestDialect => ({
  name: 'PostgreSQL',
  migrations: POSTGRES_MIGRATIONS,
  // These are the SQLSTATEs of integrity constraints, and of values that don't fit the column's type.
  refused: { code: expect.stringMatching(/^(?:23|22P02)/) },
  emptier: async (address) => {
    const client = new Client(address);
    client.on('error', () => undefined);
    await client.connect();
    return {
      // This setting skips triggers and foreign keys. It is much faster than `truncate`, which creates a new file for
      // every table and index.
      empty: async () =>
        void (await client.query(`begin; set local session_replication_role = replica; ${DELETIONS} commit`)),
      close: () => client.end(),
    };
  },
  make: async () => {
    const { url, remove } = await makeDatabase(server);
    return { address: url, remove };
  },
  openStore: async (address) =>
    openPostgresStore({ url: address, size: 4, statementTimeout: 60_000, connectTimeout: 60_000 }),
});

const server = await realPostgres('the repositories and the import queue over PostgreSQL');

/** Every kind of database that is available on this machine. */
export const dialects: readonly TestDialect[] = server ? [SQLITE, postgres(server)] : [SQLITE];

/** Runs a test with the address of a new database without a schema. */
export async function withAddress(dialect: TestDialect, test: (address: string) => Promise<void>): Promise<void> {
  const { address, remove } = await dialect.make();
  try {
    await test(address);
  } finally {
    await remove();
  }
}

/**
 * A migrated, empty database. It is opened twice, as two processes would open it; `store` belongs to one of the two
 * instances.
 */
export interface Opened {
  readonly address: string;
  readonly one: Database;
  readonly two: Database;
  readonly store: OpenedStore;
  close(): Promise<void>;
}

/**
 * Returns a function that opens the same database for each test of a file. The database is emptied before each test.
 */
export function openerOf(dialect: TestDialect): () => Promise<Opened> {
  let shared: Promise<Opened & { empty(): Promise<void> }> | undefined;
  const openShared = async () => {
    const opened = await openNew(dialect);
    const emptier = await dialect.emptier(opened.address);
    const close = async (): Promise<void> => {
      await emptier.close();
      await opened.close();
    };
    return { ...opened, empty: emptier.empty, close };
  };
  afterAll(async () => (await shared)?.close());
  return async () => {
    shared ??= openShared();
    const { empty, ...opened } = await shared;
    await empty();
    return { ...opened, close: async () => undefined };
  };
}

/** Opens a new database, for all tests of a file. */
export async function openNew(dialect: TestDialect): Promise<Opened> {
  const { address, remove } = await dialect.make();
  const one = await openAt(address);
  await one.migrate();
  const two = await openAt(address);
  const store = await dialect.openStore(address);
  const close = async (): Promise<void> => {
    for (const each of [store, one, two]) await each.close();
    await remove();
  };
  return { address, one, two, store, close };
}

/** Makes databases for tests, each with the address by which other processes can open it. */
export function databasesOf(
  dialect: TestDialect,
): (test: (database: Database, address: string) => Promise<void>) => Promise<void> {
  const open = openerOf(dialect);
  return async (test) => {
    const { one, address, close } = await open();
    try {
      await test(one, address);
    } finally {
      await close();
    }
  };
}
