import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { onSqlite } from '../support/database.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { program } from '../support/program.ts';
import { collect, linesOf } from '../support/run.ts';
import {
  type CommandResult,
  command,
  expectQuiet,
  removeFolder,
  type Settings,
  scratchFolder,
} from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;
let items: MediaItem[];
/** The backup that contains the {@link items}. */
let good: string;
let kept: string;
let folder: string;

beforeAll(async () => {
  kept = scratchFolder();
  good = join(kept, 'good.tar');
  world = await World.openAlone({ ...onSqlite, ...onDisk, JWT_SECRET: undefined });
  items = await world.store(...[1, 2, 3, 4].map((n) => file(`${n}.png`, picture(n))));
  expect(await run(['backup', good, '--with-media'])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await world.close();
  removeFolder(kept);
});
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => removeFolder(folder));

const picture = (number: number) => Buffer.concat([fixtures.png(), Buffer.from(`number ${number}`)]);
const run = (args: readonly string[], settings: Settings = world.server.settings) => command(args, settings);
const pathOf = (item?: MediaItem) => join(world.dataDir, 'media', `${item?.full_name}`);
const elsewhere = (name: string): Settings => ({ ...world.server.settings, DATA_DIR: join(folder, name) });

/** Expects the command to fail with a one-line error, and to leave the folder unchanged. */
async function refused(args: readonly string[], settings?: Settings): Promise<string> {
  const before = readdirSync(folder).sort();
  const { code, stdout, stderr } = await run(args, settings);
  expect(`${code} ${stdout}`).toBe('1 ');
  expect(linesOf(stderr)).toHaveLength(1);
  expect(readdirSync(folder).sort()).toEqual(before);
  return stderr;
}

test('a backup with a damaged object fails, replaces no other backup, and is kept as incomplete', async () => {
  const path = join(folder, 'b.tar');
  copyFileSync(good, path);
  const object = pathOf(items[1]);
  copyFileSync(object, join(folder, 'object'));
  try {
    writeFileSync(object, flipped(readFileSync(object)));
    const first = await run(['backup', path, '--with-media', '--smaller']);
    expect(first.code).toBe(1);
    expect(first.stdout).toContain(`${items[1]?.id}  ${items[1]?.full_name}`);
    expect(first.stdout).toContain(`${path}.incomplete, which is incomplete: 1 of 4 objects`);
    expect(readFileSync(path)).toEqual(readFileSync(good));
    const { code, stdout } = await run(['backup', path, '--with-media', '--smaller', '--json']);
    expect(code).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(['b.tar', 'b.tar.incomplete', 'object']);
    const report = { file: `${path}.incomplete`, complete: false, problems: [{ id: items[1]?.id }] };
    expect(JSON.parse(stdout)).toMatchObject(report);
  } finally {
    copyFileSync(join(folder, 'object'), object);
  }
  const restored = await run(['restore', `${path}.incomplete`, '--json'], elsewhere('restored'));
  expect(restored.code).toBe(1);
  expect(JSON.parse(restored.stdout)).toMatchObject({ restored: 3 });
});

describe('a backup that would replace another file', () => {
  test('is refused if the library is empty, unless --smaller is given', async () => {
    const path = join(folder, 'b.tar');
    copyFileSync(good, path);
    const empty = elsewhere('empty');
    expect(await run(['migrate'], empty)).toMatchObject({ code: 0 });
    const sentence = await refused(['backup', path, '--with-media'], empty);
    expect(sentence).toContain(`${path} has 2 workspaces and 4 objects`);
    expect(sentence).toContain('0 workspaces and 0 objects');
    expect(sentence).toContain('--smaller');
    expect(readFileSync(path)).toEqual(readFileSync(good));
    expect(await run(['backup', path, '--with-media', '--smaller'], empty)).toMatchObject({ code: 0 });
    expect(await run(['backup', path, '--with-media'], empty)).toMatchObject({ code: 0 });
  });

  test('is refused if that file is not a backup, unless --replace is given', async () => {
    const path = join(folder, 'thesis.odt');
    writeFileSync(path, 'a year of work');
    expect(await refused(['backup', path])).toContain('--replace');
    expect(await refused(['backup', path, '--smaller'])).toContain('--replace');
    expect(readFileSync(path, 'utf8')).toBe('a year of work');
    expect(await run(['backup', path, '--replace'])).toMatchObject({ code: 0 });
    writeFileSync(path, '');
    expect(await run(['backup', path])).toMatchObject({ code: 0 });
  });
});

test('a backup to a pipe, a device or a missing folder is refused with one line that names the path', async () => {
  const pipe = join(folder, 'pipe.tar');
  Bun.spawnSync(['mkfifo', pipe]);
  const places = {
    'a pipe': pipe,
    '/dev/stdout': '/dev/stdout',
    '/dev/null': '/dev/null',
    gone: join(folder, 'gone', 'b'),
  };
  const device = lstatSync('/dev/null').ino;
  for (const [named, path] of Object.entries(places)) expect(await refused(['backup', path])).toContain(named);
  expect([lstatSync(pipe).isFIFO(), lstatSync('/dev/null').ino]).toEqual([true, device]);
});

const canPipe = hasPrograms(['bash', 'tar'], 'backups through a pipe');

describe.skipIf(!canPipe)('backup -', () => {
  /** Makes a shell pipeline exit with the code of the program, not of the command that reads from it. */
  const exitAsProgram = `exit "\${PIPESTATUS[0]}"`;

  /** Runs a shell command in which "$@" is the program, with the library's settings. */
  const shell = (script: string, ...args: readonly string[]): Promise<CommandResult> =>
    collect(['bash', '-c', script, 'bash', ...program.command, ...args], {
      cwd: folder,
      env: { ...program.environment, ...world.server.settings },
    });

  test('writes a tar to standard output that restore - can read, and messages to standard error', async () => {
    const { code, stdout, stderr } = await shell(
      `"$@" | tee b.tar | tar tf -; ${exitAsProgram}`,
      'backup',
      '-',
      '--with-media',
    );
    expect(code).toBe(0);
    expect(linesOf(stdout).at(-1)).toBe('backup.json');
    expect(stderr).toMatch(/^Wrote standard output: .*\n$/);
    const place = join(folder, 'place');
    // A file of this name isn't the backup, so its size doesn't matter.
    const restored = await shell(`truncate -s 8T ./-; DATA_DIR=${place} "$@" < b.tar`, 'restore', '-', '--json');
    expectQuiet(restored);
    expect(JSON.parse(restored.stdout)).toMatchObject({ restored: 4, damaged: [] });
    expect(await run(['verify'], { ...world.server.settings, DATA_DIR: place })).toMatchObject({ code: 0 });
    expect(readdirSync(world.dataDir).filter((name) => name.endsWith('.copy'))).toEqual([]);
  });

  test('with --json writes the JSON object to standard error', async () => {
    const { code, stderr } = await shell('"$@" > b.tar', 'backup', '-', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ file: null, complete: true, problems: [] });
  });

  test('with --json writes the reason for a failure to standard error, not into the backup', async () => {
    const { code, stderr } = await shell('"$@" > b.tar', 'backup', '-', '--with-media', '--json', '--keep', '2');
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ message: expect.stringContaining('--keep') });
    expect(readFileSync(join(folder, 'b.tar'), 'utf8')).toBe('');
  });

  test('fails with one line if the pipe is closed or the device is full', async () => {
    const gone = await shell(`"$@" | head -c 100 >&2; ${exitAsProgram}`, 'backup', '-', '--with-media');
    expect(gone.code).toBe(141);
    expect(gone.stderr).toEndWith(
      'postshelf: Standard output was closed by its reader before the backup was complete.\n',
    );
    const full = await shell('"$@" > /dev/full', 'backup', '-');
    expect(full.code).toBe(1);
    expect(linesOf(full.stderr)).toEqual([expect.stringContaining('Standard output cannot be written: ENOSPC')]);
  });

  const hasPython = hasPrograms(['python3'], 'a backup into a non-blocking pipe');
  test.skipIf(!hasPython)('writes everything even if the pipe is non-blocking and full', async () => {
    const reader = join(folder, 'reader.py');
    writeFileSync(
      reader,
      `import os, subprocess, sys, hashlib
r, w = os.pipe()
os.set_blocking(w, False)
child = subprocess.Popen(sys.argv[1:], stdout=w)
os.close(w)
with os.fdopen(r, 'rb') as pipe, open('b.tar', 'wb') as out:
    while chunk := pipe.read(1000): out.write(chunk)
sys.exit(child.wait())`,
    );
    const { code } = await shell('python3 reader.py "$@"', 'backup', '-', '--with-media');
    expect(code).toBe(0);
    expect(await run(['restore', join(folder, 'b.tar')], elsewhere('place'))).toMatchObject({ code: 0 });
  });

  test('is refused if the output is a terminal, as is restore - if the input is a terminal', async () => {
    for (const name of ['backup', 'restore']) {
      const screen: string[] = [];
      const child = Bun.spawn([...program.command, name, '-'], {
        cwd: program.cwd,
        env: { ...program.environment, ...(name === 'restore' ? elsewhere('none') : world.server.settings) },
        terminal: { cols: 80, rows: 24, data: (_, data) => screen.push(Buffer.from(data).toString()) },
      });
      expect(await child.exited).toBe(1);
      await until('the line is on the screen', () => screen.join('').includes('is a terminal'));
    }
  });
});

describe('backups with {date} in their name', () => {
  const pattern = () => join(folder, 'b-{date}.tar');

  test('are named after the current time, and --keep 2 deletes all but the newest two', async () => {
    const at = (day: number) => `b-202601${day}T000000Z.tar`;
    for (const day of [10, 11, 12]) copyFileSync(good, join(folder, at(day)));
    const other = 'b-20260108T000000Z.tar';
    writeFileSync(join(folder, other), 'no backup');
    const { code, stdout } = await run(['backup', pattern(), '--with-media', '--keep', '2', '--json']);
    expect(code).toBe(0);
    const { file: path, removed } = JSON.parse(stdout);
    expect(basename(path)).toMatch(/^b-\d{8}T\d{6}Z\.tar$/);
    expect(removed).toEqual([at(11), at(10)].map((name) => join(folder, name)));
    expect(readdirSync(folder).sort()).toEqual([other, at(12), basename(path)].sort());
  });

  test('are the only ones that accept --keep, which needs a positive number', async () => {
    const slips = [
      [join(folder, 'b.tar'), '--keep', '3'],
      ['-', '--keep', '3'],
      [pattern(), '--keep', '0'],
      [pattern(), '--keep', 'all'],
      [pattern(), '--keep', '-1'],
      [join(folder, '{date}', 'b.tar')],
    ];
    const ended = await Promise.all(slips.map((args) => run(['backup', ...args])));
    for (const { code, stdout, stderr } of ended) {
      expect(code).toBeGreaterThan(0);
      expect(`${stdout}${linesOf(stderr).length}`).toBe('1');
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Runs a command in a mount namespace of its own, so that its mounts disappear with it. */
const ISOLATED = ['unshare', '--user', '--map-root-user', '--mount'];
const canMount =
  hasPrograms(['unshare', 'mount', 'bash'], 'backups on a full disk') &&
  Bun.spawnSync([...ISOLATED, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).success;

describe.skipIf(!canMount)('a backup to a full disk', () => {
  test.each([
    ['for the copy of the database', 60],
    ['for the backup', 300],
  ])('fails with one line and keeps other files if there is no room %s', async (_, kilobytes) => {
    const script = `mount -t tmpfs -o size=$0k tmpfs ${folder} && echo old > ${folder}/old.tar && "$@"; code=$?; ls ${folder}; exit $code`;
    const args = [...program.command, 'backup', join(folder, 'b.tar'), '--with-media'];
    const { code, stdout, stderr } = await collect([...ISOLATED, 'bash', '-c', script, String(kilobytes), ...args], {
      cwd: program.cwd,
      env: { ...program.environment, ...world.server.settings },
    });
    expect(code).toBe(1);
    expect(stdout).toBe('old.tar\n');
    expect(linesOf(stderr)).toEqual([expect.stringMatching(/b\.tar.*(full|no space left|I\/O)/)]);
  });
});

function flipped(bytes: Buffer): Buffer {
  const at = bytes.indexOf('number');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}
