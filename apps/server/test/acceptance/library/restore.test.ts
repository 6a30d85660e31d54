import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { file } from '../support/multipart.ts';
import {
  command,
  expectQuiet,
  jsonCommand,
  removeFolder,
  type Settings,
  scratchFolder,
  spawnServer,
  startServer,
} from '../support/server.ts';
import { until } from '../support/until.ts';
import { closeKinds, files, kinds, type Library, picture, refusal } from './support/libraries.ts';
import { memberEnds, withDatabase } from './support/tar.ts';

afterAll(closeKinds);

describe.each([...kinds])('restoring media to $name', (kind) => {
  let source: Library;
  let backup: string;
  let folder: string;

  beforeAll(async () => {
    folder = scratchFolder();
    source = await kind.open();
    backup = join(folder, 'backup.tar');
    expect(await command(['backup', backup, '--with-media'], source.settings)).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await source.close();
    removeFolder(folder);
  });

  /** Returns the media that a backup of the library contains: the files of confirmed items. */
  const objectsOf = async (library: Pick<Library, 'media'>): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(Object.entries(await library.media()).filter(([name]) => !name.startsWith('.')));

  async function expectServed(settings: Settings): Promise<void> {
    const verified = command(['verify'], settings);
    const server = await startServer(settings.DATA_DIR ?? '', settings);
    try {
      const headers = { authorization: `Bearer ${source.world.tokens.all}` };
      const list = await fetch(`${server.url}/v1/workspaces/${source.world.ids.workspace}/media_contents`, { headers });
      expect(list.status).toBe(200);
      expect((await verified).stdout).toContain('no problems found');
    } finally {
      expect(await server.end()).toBe(0);
    }
  }

  // The number of files that are read from the backup before the kill. A negative number counts from the end.
  const kills = kind === files ? [0, 1, -1] : [3];

  test.each(kills)(
    'a restore killed after file %i of the backup blocks services until a second run completes it',
    async (at) => {
      const tar = readFileSync(backup);
      const ends = memberEnds(tar);
      expect(ends.length).toBeGreaterThanOrEqual(6);
      const members = at < 0 ? ends.length + at : at;
      const end = members === 0 ? 0 : (ends[members - 1] ?? 0);
      const target = await kind.empty();
      const pipe = join(folder, `pipe-${members}`);
      Bun.spawnSync(['mkfifo', pipe]);
      const restoring = spawnServer(target.settings, ['restore', pipe]);
      const write = openSync(pipe, 'w');
      try {
        for (let done = 0; done < end; ) done += writeSync(write, tar, done, end - done);
        await until('the restore has started', async () => (await target.mark())?.restoring != null);
        const objects = Math.min(members, Object.keys(await objectsOf(source)).length);
        await until('these files are restored', async () => Object.keys(await objectsOf(target)).length === objects);
        const received = (): boolean => readdirSync(target.dataDir).some((name) => name.endsWith('.restoring'));
        if (at < 0) await until('the database was received', received);
        restoring.child.kill('SIGKILL');
        await restoring.exited;
      } finally {
        closeSync(write);
        restoring.forget();
      }
      const services = kind === files ? ['serve', 'worker', 'migrate'] : ['serve'];
      const [gc, ...lines] = await Promise.all(['gc', ...services].map((name) => refusal([name], target.settings)));
      expect(gc).toContain('there is no library here');
      for (const line of lines) for (const part of ['not finished', 'postshelf restore']) expect(line).toContain(part);
      if (at < 0)
        expect((await command(['doctor'], target.settings)).stdout).toContain(
          'was not finished. Run "postshelf restore"',
        );
      const again = await command(['restore', backup], target.settings);
      expectQuiet(again);
      expect(await objectsOf(target)).toEqual(await objectsOf(source));
      expect(await target.mark()).toMatchObject({ library: source.id, restoring: null });
      expect(readdirSync(target.dataDir).filter((name) => name.endsWith('.restoring'))).toEqual([]);
      await expectServed(target.settings);
      await target.close();
    },
  );

  // The following tests don't depend on where media are stored, so they run with only one kind of storage.
  // packages/application/test/backup tests further cases.
  if (kind !== files) return;

  test('keeps newer media of the same library, which also survive garbage collection', async () => {
    const library = await kind.open();
    const older = join(folder, `older-${library.id}.tar`);
    expect(await command(['backup', older], library.settings)).toMatchObject({ code: 0 });
    await library.world.restart();
    const newer = await library.world.storeOne(file('newer.png', picture(7)));
    await library.world.server.end();
    const all = await library.media();
    renameSync(join(library.world.dataDir, 'postshelf.db'), join(folder, 'damaged.db'));
    expectQuiet(await command(['restore', older], library.settings));
    const server = await startServer(library.world.dataDir, library.settings);
    await until('garbage was collected', () => server.log().includes('garbage collected'));
    await server.end();
    await command(['gc', '--older-than', '0s'], library.settings);
    expect(await library.media()).toEqual(all);
    expect(Object.keys(all)).toContain(newer.full_name);
    await library.close();
  });

  test('refuses a storage with media of another library, and changes nothing there', async () => {
    const other = await kind.empty();
    await jsonCommand(['migrate'], other.settings);
    await other.put('one.png', 'bytes of its own');
    const [all, mark] = await Promise.all([other.media(), other.mark()]);
    rmSync(join(other.dataDir, 'postshelf.db'));
    const line = await refusal(['restore', backup], other.settings);
    for (const part of [String(mark?.library), source.id, 'nothing was restored', 'the mark .library'])
      expect(line).toContain(part);
    expect(await other.media()).toEqual(all);
    expect(await other.mark()).toEqual(mark);
    expect(readdirSync(other.dataDir).filter((name) => name.includes('postshelf.db'))).toEqual([]);
    await other.close();
  });

  test('moves an object with different bytes to the trash, and reports it', async () => {
    const target = await kind.empty();
    expect(await command(['restore', backup], target.settings)).toMatchObject({ code: 0 });
    const [key = ''] = Object.keys(await objectsOf(target));
    await target.put(key, 'other bytes');
    renameSync(join(target.dataDir, 'postshelf.db'), join(folder, `replaced-${target.dataDir.split('/').at(-1)}.db`));
    const { code, stdout } = await command(['restore', backup, '--json'], target.settings);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ trashed: [key], damaged: [] });
    expect(await objectsOf(target)).toEqual(await objectsOf(source));
    const trashed = Object.keys(await target.media()).filter((name) => name.startsWith('.trash/'));
    expect(trashed).toEqual([expect.stringContaining(key)]);
    await target.close();
  });

  test.each(['a start', 'restore'] as const)(
    'a restore killed after it put the database in place is completed by %s',
    async (by) => {
      const target = await kind.empty();
      expectQuiet(await command(['restore', backup], target.settings));
      const database = new Database(join(target.dataDir, 'postshelf.db'));
      const { restored_at } = database.query('select restored_at from library').get() as { restored_at: number };
      database.close();
      const mark = await target.mark();
      await target.putMark(JSON.stringify({ ...mark, restoring: new Date(restored_at).toISOString() }));
      if (by === 'restore') {
        const { code, stdout } = await command(['restore', backup], target.settings);
        expect(`${code} ${stdout}`).toMatch(
          /^0 An earlier run restored everything, but did not mark the storage as belonging to the library/,
        );
        expect(await target.mark()).toMatchObject({ library: source.id, restoring: null });
      }
      await expectServed(target.settings);
      expect(await target.mark()).toMatchObject({ library: source.id, restoring: null });
      await target.close();
    },
  );

  test('refuses a backup with a trigger, a view or an unknown table, and no service starts', async () => {
    const foreign = {
      'trigger t': 'create trigger t after insert on media begin delete from tokens; end',
      'view v': 'create view v as select 1',
      'table mine': 'create table mine (x)',
    };
    await Promise.all(
      Object.entries(foreign).map(async ([part, statement]) => {
        const changed = join(folder, `${part}.tar`);
        copyFileSync(backup, changed);
        withDatabase(changed, join(folder, `${part}.db`), (database) => database.run(statement));
        const target = await kind.empty();
        expect(await refusal(['restore', changed], target.settings)).toContain(part);
        expect(readdirSync(target.dataDir).filter((each) => each.includes('.db'))).toEqual([]);
        expect(await refusal(['serve'], target.settings)).toContain('not finished');
        expect(await command(['restore', backup], target.settings)).toMatchObject({ code: 0 });
        await target.close();
      }),
    );
  });

  test('refuses to replace a different jwt-secret', async () => {
    const made = join(folder, 'with-secret.tar');
    const library = await kind.open();
    const own = { ...library.settings, JWT_SECRET: undefined };
    expect(await command(['token', 'reset-secret', '--yes'], own)).toMatchObject({ code: 0 });
    await (await startServer(library.world.dataDir, own)).end();
    expect(await command(['backup', made], own)).toMatchObject({ code: 0 });
    const target = await kind.empty();
    mkdirSync(target.dataDir, { recursive: true });
    const path = join(target.dataDir, 'jwt-secret');
    writeFileSync(path, 'x'.repeat(64));
    expect(await refusal(['restore', made], { ...target.settings, JWT_SECRET: undefined })).toContain(
      'a different jwt-secret',
    );
    expect(readFileSync(path, 'utf8')).toBe('x'.repeat(64));
    renameSync(path, `${path}.old`);
    const restored = { ...target.settings, JWT_SECRET: undefined };
    expect(await command(['restore', made], restored)).toMatchObject({ code: 0 });
    await (await startServer(target.dataDir, restored)).end();
    await library.close();
    await target.close();
  });
});
