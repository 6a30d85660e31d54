// These tests check that commands report an error in one line with a remedy, and never print a stack.
import { describe as bunDescribe, expect } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canMount, Mounts } from '@postshelf/harness/mounts';
import { testsThatNeed } from '@postshelf/testing/programs';
import { onSqlite } from '../support/database.ts';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import type { Program } from '../support/program.ts';
import { arrayAt } from '../support/reply.ts';
import { command, removeFolder, type Settings, scratchFolder, startServer } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { programWithoutPrivileges } from './support/rights.ts';
import { expectReady } from './support/unavailable.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(
  ['setpriv'],
  'errors of commands for unreadable media and full disks',
);

const MB = 1024 * 1024;
const alone = { ...onSqlite, ...onDisk };

let world: World;
let item: MediaItem;
/** A folder with one backup that includes media, to which the tests add more backups. */
let backups: string;
let backup: string;

beforeAll(async () => {
  backups = scratchFolder();
  world = await World.open(alone, [], { program: programWithoutPrivileges, servers: 1 });
  item = await world.storeOne(file('beach.jpg', jpeg()));
  backup = join(backups, 'backup.tar');
  await world.run(['backup', backup, '--with-media']);
});
afterAll(async () => {
  await world.close();
  removeFolder(backups);
});

/** The single error line of a command that fails. */
async function lineOf(args: readonly string[], settings: Settings, by?: Program): Promise<string> {
  const { code, stderr } = await command(args, settings, by);
  expect(`${args.join(' ')} ${code}`).toBe(`${args.join(' ')} 1`);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toStartWith('postshelf: ');
  return stderr;
}

describe('with unreadable media', () => {
  test.each([
    ['file', 0],
    ['folder', 2],
  ])(
    'verify and backup name the objects in a %s that cannot be read, and continue with the others',
    async (_, above) => {
      const path = join(world.dataDir, 'media', ...item.full_name.split('/').slice(0, 3 - above));
      chmodSync(path, 0o000);
      try {
        const copy = join(backups, 'unreadable.tar');
        for (const args of [['verify'], ['backup', copy, '--with-media']]) {
          const { code, stdout, stderr } = await command(args, world.server.settings, programWithoutPrivileges);
          expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
          expect(stdout).toContain(`${item.id}  ${item.full_name}  cannot be read (EACCES`);
          expect(stdout).toContain('chown, chmod');
        }
        expect(readdirSync(backups)).toContain('unreadable.tar.incomplete');
        expect(existsSync(copy)).toBe(false);
      } finally {
        chmodSync(path, 0o700);
      }
    },
  );

  test('commands that cannot read the media folder fail with one line that suggests a remedy', async () => {
    const media = join(world.dataDir, 'media');
    chmodSync(media, 0o000);
    try {
      for (const args of [['verify'], ['gc', 'list'], ['backup', join(backups, 'none.tar')]])
        expect(await lineOf(args, world.server.settings, programWithoutPrivileges)).toMatch(/EACCES.*chown, chmod/);
    } finally {
      chmodSync(media, 0o700);
    }
  });
});

test('a command that succeeds without its entry in the audit log says why there is none', async () => {
  const settings = { ...world.server.settings, MIN_FREE_DISK_MB: '900000000' };
  const { code, stdout, stderr } = await command(['workspace', 'create', '--name', 'Unrecorded'], settings);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('name: Unrecorded') });
  expect(stderr).toMatch(/^postshelf: the audit log could not be written: .*MIN_FREE_DISK_MB free: .*\n$/);
});

test('a command without its store says what failed, and how to find out more', async () => {
  const store = { S3_BUCKET: 'media', S3_ENDPOINT: 'http://127.0.0.1:1', S3_FORCE_PATH_STYLE: 'true' };
  const settings = { ...world.server.settings, ...store, S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };
  for (const args of [['gc', 'list'], ['verify']])
    expect(await lineOf(args, settings)).toMatch(
      /^postshelf: The storage is unavailable\. The store failed with ECONNREFUSED.*\. Run "postshelf doctor" to find/,
    );
});

describe('the command restore', () => {
  const to = (dataDir: string): Settings => ({ ...world.server.settings, DATA_DIR: dataDir });

  test('reports a lack of disk space, and names MIN_FREE_DISK_MB, before it begins', async () => {
    const folder = join(scratchFolder(), 'restored');
    const settings = { ...to(folder), MIN_FREE_DISK_MB: '900000000' };
    expect(await lineOf(['restore', backup], settings)).toMatch(
      /needs [\d.,]+ MB, and 900,000,000 MB must stay free \(MIN_FREE_DISK_MB\).*free another [\d.,]+ MB, lower MIN_FREE_DISK_MB/,
    );
    expect(existsSync(folder)).toBe(false);
    // This is how a killed restore leaves the folder.
    mkdirSync(join(folder, 'media/.staging'), { recursive: true });
    expect(await lineOf(['restore', backup], settings)).toContain('free another');
    expect(await command(['restore', backup], { ...settings, MIN_FREE_DISK_MB: '0' })).toMatchObject({ code: 0 });
  });

  test('fails with a reason if it is run twice concurrently', async () => {
    const folder = join(scratchFolder(), 'restored');
    const both = await Promise.all([1, 2].map(() => command(['restore', backup], to(folder))));
    const codes = both.map(({ code }) => code).sort();
    expect([
      [0, 1],
      [1, 1],
    ]).toContainEqual(codes);
    // If both restores noticed each other, both have failed. Then a third restore succeeds.
    if (codes[0] === 1) expect(await command(['restore', backup], to(folder))).toMatchObject({ code: 0 });
    const other = both.find(({ code }) => code === 1)?.stderr ?? '';
    expect(other.trimEnd().split('\n')).toHaveLength(1);
    expect(other).toMatch(/created( or changed)? during the restore|There is already a database/);
    expect(await command(['verify'], to(folder))).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(folder, 'media/.library'), 'utf8'))).toMatchObject({ restoring: null });
  });

  test('says what to move away if a library exists', async () => {
    const folder = scratchFolder();
    await (await startServer(folder, alone)).end();
    expect(await lineOf(['restore', backup], to(folder))).toContain('move all of DATA_DIR away');
    removeFolder(folder);
  });
});

(canMount('commands on a read-only disk, and a disk without inodes') ? describe : bunDescribe.skip)(
  'with a library on its own disk',
  () => {
    let mounts: Mounts;
    beforeAll(async () => {
      mounts = await Mounts.open();
    });
    afterAll(() => mounts.close());

    const open = (name: string): Promise<World> => {
      const disk = mounts.disk(name, 64 * MB);
      const settings = { ...alone, MIN_FREE_DISK_MB: '0' };
      return World.open(settings, [], {
        dataDir: disk,
        outside: mounts.outside(disk),
        program: mounts.program,
        servers: 1,
      });
    };

    test('verify, backup and list commands work on a read-only disk, and others fail with one line', async () => {
      const library = await open('read-only');
      await library.storeOne(file('beach.jpg', jpeg()));
      await library.server.end();
      mounts.run('mount', '-o', 'remount,ro', library.dataDir);
      const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('postshelf-read-'));
      const before = left();
      const copy = join(backups, 'read-only.tar');
      for (const args of [
        ['verify'],
        ['backup', copy, '--with-media'],
        ['workspace', 'list'],
        ['token', 'list'],
        ['profile', 'list', '--workspace', library.fill('{workspace}')],
        ['gc', 'list'],
        ['gc', '--dry-run'],
      ])
        await library.run(args);
      const piped = ['sh', '-c', `"$0" "$@" backup - --with-media > ${join(backups, 'piped.tar')}`];
      const { code, stderr } = await command([], library.server.settings, {
        ...mounts.program,
        command: [...piped, ...mounts.program.command],
      });
      expect({ code, stderr: stderr.trimEnd().split('\n') }).toEqual({
        code: 0,
        stderr: [expect.stringContaining('Wrote')],
      });
      expect(left()).toEqual(before);
      const line = await lineOf(['workspace', 'create', '--name', 'X'], library.server.settings, mounts.program);
      expect(line).toContain('EROFS');
      expect(line).not.toContain('there is no library');
      const folder = join(backups, 'restored');
      mkdirSync(folder);
      const restored = { ...world.server.settings, DATA_DIR: folder };
      expect(await command(['restore', copy], restored)).toMatchObject({ code: 0 });
    });

    test('on a full disk, backup and verify say why they were not noted, and an unopened database names the disk', async () => {
      const library = await open('full');
      const fill = () => mounts.run('sh', '-c', `cat /dev/zero > ${library.dataDir}/filler 2> /dev/null; true`);
      await library.server.end('SIGKILL');
      fill();
      for (const args of [['backup', join(backups, 'full.tar')], ['verify']]) {
        const { code, stderr } = await command(args, library.server.settings, mounts.program);
        expect({ code, stderr }).toEqual({
          code: 0,
          stderr: expect.stringMatching(
            /^postshelf: could not note when this was done: .*disk is full: free space.*\n$/,
          ),
        });
      }
      // A process that ends in an orderly way removes the `-shm` file, so SQLite has to make one again.
      mounts.run('rm', join(library.dataDir, 'filler'));
      await library.run(['workspace', 'list']);
      fill();
      for (const args of [['verify'], ['workspace', 'list']])
        expect(await lineOf(args, library.server.settings, mounts.program)).toMatch(/disk I\/O error.*Free space/);
    });

    test('/ready returns 503 while almost no inodes are free', async () => {
      const library = await open('inodes');
      try {
        await expectReady(library);
        const used = Number(mounts.run('sh', '-c', `stat -f -c '%c %d' ${library.dataDir} | awk '{print $1-$2}'`));
        mounts.run('mount', '-o', `remount,nr_inodes=${used + 3}`, library.dataDir);
        const ready = await library.call('GET /ready', { token: null });
        expect(ready.status).toBe(503);
        const reason = /The disk of \S+ has \d+ of \d+ inodes left\. Free space there, or inodes \(df -h, df -i\)\./;
        expect(arrayAt(ready.json, 'reasons').join()).toMatch(reason);
        const { stdout } = await command(['doctor'], library.server.settings, mounts.program);
        expect(stdout).toMatch(new RegExp(`storage +${reason.source}\n`));
        mounts.run('mount', '-o', 'remount,nr_inodes=10000', library.dataDir);
        await expectReady(library);
      } finally {
        await library.server.end();
      }
    });
  },
);
