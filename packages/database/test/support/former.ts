import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import type { TestDialect } from './dialects.ts';

const fixture = async (name: string): Promise<Uint8Array> =>
  gunzipSync(await Bun.file(new URL(`../fixtures/former/${name}.gz`, import.meta.url)).bytes());

/**
 * Creates a library at the address as the last release before 1.0 wrote it, with rows in most tables. For SQLite, it
 * copies a file written by that release. For PostgreSQL, it runs the output of `pg_dump --inserts`.
 */
export async function makeFormer(dialect: TestDialect, address: string): Promise<void> {
  if (dialect.name === 'SQLite') {
    await Bun.write(address, await fixture('library.sqlite'));
    return;
  }
  const client = new Client(address);
  await client.connect();
  await client.query(new TextDecoder().decode(await fixture('library.sql')));
  await client.end();
}
