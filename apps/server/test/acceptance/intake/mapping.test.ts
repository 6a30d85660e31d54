// These tests import the uploads of Directus and Strapi, and map their ids as docs/operating/moving.md describes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDatabase, type RealPostgres, realPostgres, runSql, withClient } from '@postshelf/testing/servers/postgres';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { World } from '../support/world.ts';
import { picture, put, TakingIn } from './support/taking-in.ts';

const postgres = await realPostgres('mapping ids of Directus and Strapi');

/** Returns the lines of the page's first code block in `language` that contains `marker`. */
function documented(language: string, marker: string): readonly string[] {
  const page = readFileSync(join(import.meta.dir, '../../../../../docs/operating/moving.md'), 'utf8');
  const blocks = page.split(`\`\`\`${language}\n`).map((block) => block.slice(0, block.indexOf('```')));
  return (blocks.find((block) => block.includes(marker)) ?? '').split('\n');
}

const excluded = (from: string): string =>
  /--exclude '([^']+)'/.exec(documented('sh', from).find((line) => line.includes(from)) ?? '')?.[1] ?? '';

describe.skipIf(!postgres)('docs/operating/moving.md', () => {
  let world: World;
  let home: string;

  beforeAll(async () => {
    world = await World.open();
    home = scratchFolder();
  });

  afterAll(async () => {
    await world.close();
    removeFolder(home);
  });

  /** Imports a folder as documented. */
  async function mapped(name: string, source: string): Promise<TakingIn> {
    const taking = new TakingIn(world, join(home, name), join(home, `${name}.csv`), ['--exclude', excluded(source)]);
    expect(await taking.run()).toMatchObject({ json: { imported: 2, refused: 1, skipped: 2 } });
    return taking;
  }

  test.each([
    ['directus', '/directus/uploads', 'directus_files', '', (id: string) => `${id}__0123abcd`],
    ['strapi', '/strapi/public/uploads', 'files', '/uploads/', (id: string) => `thumbnail_${id}`],
  ])('explains how to map the ids of %s files to the ids of items', async (name, source, table, prefix, thumbnail) => {
    const { url, remove } = await makeDatabase(postgres as RealPostgres);
    const ids = [randomUUID(), randomUUID()];
    for (const [n, id] of ids.entries()) {
      put(join(home, name), `${id}.png`, picture(n + (name === 'strapi' ? 10 : 0)));
      put(join(home, name), `${thumbnail(id)}.png`, picture(100 + n));
    }
    put(join(home, name), 'notes, "quoted".txt', 'no picture');
    const taking = await mapped(name, source);
    // The database server reads this file, and may run as a different user.
    const file = join(tmpdir(), `${randomUUID()}.csv`);
    copyFileSync(taking.report, file);
    chmodSync(file, 0o644);
    try {
      const column = name === 'directus' ? 'filename_disk' : 'url';
      await runSql(url, `create table ${table} (id text, ${column} text)`);
      for (const id of ids) await runSql(url, `insert into ${table} values ('${id}', '${prefix}${id}.png')`);
      const [create = '', , ...queries] = documented('sql', 'create table media');
      await runSql(url, create);
      await runSql(url, `copy media from '${file}' csv header`);
      const query = queries.find((line) => line.includes(`from ${table} `)) ?? '';
      const { rows } = await withClient(url, (client) => client.query<{ id: string; media_id: string }>(query));
      const found = Object.fromEntries(rows.map((row) => [row.id, row.media_id]));
      expect(found).toEqual(Object.fromEntries(ids.map((id) => [id, String(taking.row(`${id}.png`)?.media_id)])));
    } finally {
      removeFolder(file);
      await remove();
    }
  });
});
