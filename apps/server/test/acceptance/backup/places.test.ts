import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
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

setDefaultTimeout(120_000);

let world: World;
let items: MediaItem[];
/** What {@link items} are restored from. */
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

/** Fails in one line, and leaves the folder as it is. */
async function refused(args: readonly string[], settings?: Settings): Promise<string> {
  const before = readdirSync(folder).sort();
  const { code, stdout, stderr } = await run(args, settings);
  expect(`${code} ${stdout}`).toBe('1 ');
  expect(linesOf(stderr)).toHaveLength(1);
  expect(readdirSync(folder).sort()).toEqual(before);
  return stderr;
}

/** A library without an object, with a workspace or without. */
async function emptyLibrary(name: string, workspaces: 0 | 1): Promise<Settings> {
  const settings = elsewhere(name);
  const commands = [['migrate'], ...(workspaces === 1 ? [['workspace', 'create', '--name', 'New']] : [])];
  for (const made of commands) expect(await run(made, settings)).toMatchObject({ code: 0 });
  return settings;
}

describe('a backup of a library with a missing or damaged object', () => {
  for (const [what, args, spoil] of [
    ['missing', [], (path: string) => rmSync(path)],
    ['missing', ['--with-media'], (path: string) => rmSync(path)],
    ['of another size', [], (path: string) => writeFileSync(path, 'short')],
    ['damaged', ['--with-media'], (path: string) => writeFileSync(path, flipped(readFileSync(path)))],
  ] as const) {
    test(`that is ${what} fails and replaces nothing (${args.join('') || 'without media'})`, async () => {
      const path = join(folder, 'b.tar');
      copyFileSync(good, path);
      const object = pathOf(items[1]);
      copyFileSync(object, join(folder, 'object'));
      try {
        spoil(object);
        const first = await run(['backup', path, ...args, '--smaller']);
        expect(first.code).toBe(1);
        expect(first.stdout).toContain(`${items[1]?.id}  ${items[1]?.full_name}`);
        expect(first.stdout).toContain(`${path}.incomplete, which is incomplete: 1 of 4 objects`);
        expect(readFileSync(path)).toEqual(readFileSync(good));
        expect(readdirSync(folder).sort()).toEqual(['b.tar', 'b.tar.incomplete', 'object']);
        // Where there is none to replace, it stands beside all the same, and the one before it gives way.
        rmSync(path);
        const { code, stdout } = await run(['backup', path, ...args, '--smaller', '--json']);
        expect(code).toBe(1);
        expect(readdirSync(folder).sort()).toEqual(['b.tar.incomplete', 'object']);
        expect(JSON.parse(stdout)).toMatchObject({
          file: `${path}.incomplete`,
          complete: false,
          problems: [{ id: items[1]?.id }],
        });
      } finally {
        copyFileSync(join(folder, 'object'), object);
      }
      const restored = await run(['restore', `${path}.incomplete`, '--json'], elsewhere('restored'));
      expect(JSON.parse(restored.stdout)).toMatchObject({ restored: args.length === 0 ? 0 : 3 });
    });
  }
});

describe('a backup in the place of another', () => {
  test('of an empty library is refused with both numbers, and made where that is allowed', async () => {
    const path = join(folder, 'b.tar');
    copyFileSync(good, path);
    const empty = await emptyLibrary('empty', 0);
    const sentence = await refused(['backup', path, '--with-media'], empty);
    expect(sentence).toContain(`${path} has 2 workspaces and 4 objects`);
    expect(sentence).toContain('0 workspaces and 0 objects');
    expect(sentence).toContain('--smaller');
    await refused(['backup', path, '--with-media'], await emptyLibrary('new', 1));
    expect(readFileSync(path)).toEqual(readFileSync(good));
    expect(await run(['backup', path, '--with-media', '--smaller'], empty)).toMatchObject({ code: 0 });
    expect(await run(['backup', path, '--with-media'], empty)).toMatchObject({ code: 0 });
  });

  test('without the media that the other has is refused', async () => {
    const path = join(folder, 'b.tar');
    copyFileSync(good, path);
    expect(await refused(['backup', path])).toContain('media not in it');
  });

  test('of fewer than half of the objects is refused, of half is made', async () => {
    const less = elsewhere('less');
    expect(await run(['restore', good], less)).toMatchObject({ code: 0 });
    const path = join(folder, 'b.tar');
    copyFileSync(good, path);
    const [one, two, three] = items.map(({ id }) => id);
    await remove(less, one, two);
    expect(await run(['backup', path, '--with-media'], less)).toMatchObject({ code: 0 });
    copyFileSync(good, path);
    await remove(less, three);
    expect(await refused(['backup', path, '--with-media'], less)).toContain('1 object ');
  });

  async function remove(settings: Settings, ...ids: readonly (string | undefined)[]): Promise<void> {
    const { Database } = await import('bun:sqlite');
    const database = new Database(join(String(settings.DATA_DIR), 'postshelf.db'));
    for (const id of ids) expect(database.run(`delete from media where id = '${id}'`).changes).toBe(1);
    database.close();
  }

  test('that is no backup is refused, and replaced where that is allowed', async () => {
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

describe('a backup in a place that is no file', () => {
  test('leaves a folder, a pipe, a device, a link to nothing and the devices of the machine alone', async () => {
    const kinds: Readonly<Record<string, (path: string) => unknown>> = {
      'a folder': (path) => mkdirSync(path),
      'a pipe': (path) => Bun.spawnSync(['mkfifo', path]),
      'a device': (path) => Bun.spawnSync(['mknod', path, 'c', '1', '3']),
      nothing: (path) => symlinkSync('nowhere', path),
    };
    const places = [['/dev/stdout'], ['/dev/null'], ['/dev/full']].map(([path = '']) => ({ path, kind: path }));
    for (const [kind, make] of Object.entries(kinds)) {
      const path = join(folder, `${kind}.tar`);
      make(path);
      // Not everybody may make a device.
      if (existsSync(path) || kind !== 'a device') places.push({ path, kind });
    }
    const standing = () =>
      places.map(({ path }) => {
        const { ino, rdev, mode } = lstatSync(path);
        return { path, ino, rdev, mode };
      });
    const before = standing();
    const sentences = await Promise.all(places.map(({ path }) => refused(['backup', path])));
    for (const [n, { kind }] of places.entries()) expect(sentences[n]).toContain(kind);
    expect(standing()).toEqual(before);
  });

  test('replaces the file that a link leads to, and keeps the link', async () => {
    mkdirSync(join(folder, 'disk'));
    copyFileSync(good, join(folder, 'disk', 'real.tar'));
    symlinkSync(join('disk', 'real.tar'), join(folder, 'b.tar'));
    expect(await run(['backup', join(folder, 'b.tar'), '--with-media'])).toMatchObject({ code: 0 });
    expect(readlinkSync(join(folder, 'b.tar'))).toBe(join('disk', 'real.tar'));
    expect(readFileSync(join(folder, 'disk', 'real.tar'))).not.toEqual(readFileSync(good));
  });

  test('whose folder is not there is refused in one line that names it', async () => {
    expect(await refused(['backup', join(folder, 'gone', 'b.tar')])).toContain(join(folder, 'gone'));
  });
});

describe('backup -', () => {
  /** Ends a line of a shell with the program's code, not that of what reads from it. */
  const exitAsProgram = `exit "\${PIPESTATUS[0]}"`;

  /** Runs a line of a shell in which "$@" is the program and its settings are those of the library. */
  const shell = (script: string, ...args: readonly string[]): Promise<CommandResult> =>
    collect(['bash', '-c', script, 'bash', ...program.command, ...args], {
      cwd: folder,
      env: { ...program.environment, ...world.server.settings },
    });

  test('writes the tar to standard output and what it has to say to standard error; restore - reads it', async () => {
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
    const restored = await shell(`DATA_DIR=${place} "$@" < b.tar`, 'restore', '-', '--json');
    expectQuiet(restored);
    expect(JSON.parse(restored.stdout)).toMatchObject({ restored: 4, damaged: [] });
    expect(await run(['verify'], { ...world.server.settings, DATA_DIR: place })).toMatchObject({ code: 0 });
    expect(readdirSync(world.dataDir).filter((name) => name.endsWith('.copy'))).toEqual([]);
  });

  test('with --json has the object on standard error', async () => {
    const { code, stderr } = await shell('"$@" > b.tar', 'backup', '-', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toMatchObject({ file: null, complete: true, problems: [] });
  });

  test('to a closed pipe, or a full device, fails in one line', async () => {
    const gone = await shell(`"$@" | head -c 100 >&2; ${exitAsProgram}`, 'backup', '-', '--with-media');
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain('postshelf: Standard output cannot be written: EPIPE');
    expect(gone.stderr).not.toContain('    at ');
    const full = await shell('"$@" > /dev/full', 'backup', '-');
    expect(full.code).toBe(1);
    expect(linesOf(full.stderr)).toEqual([expect.stringContaining('Standard output cannot be written: ENOSPC')]);
  });

  test('writes everything to a pipe that is non-blocking and full', async () => {
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

  test('of a library with a missing object fails, and is refused by restore', async () => {
    copyFileSync(pathOf(items[0]), join(folder, 'object'));
    rmSync(pathOf(items[0]));
    try {
      const { code, stderr } = await shell('"$@" > b.tar', 'backup', '-', '--with-media');
      expect(code).toBe(1);
      expect(stderr).toContain(`${items[0]?.full_name}  missing`);
      expect(stderr).toContain('incomplete');
    } finally {
      mkdirSync(join(pathOf(items[0]), '..'), { recursive: true });
      copyFileSync(join(folder, 'object'), pathOf(items[0]));
    }
    expect(await refused(['restore', join(folder, 'b.tar')], elsewhere('../restored'))).toContain('cut off');
  });

  test('and restore - refuse a terminal', async () => {
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
  const made = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('b-'))
      .sort();

  /** Lays an older backup beside: the good one, or other bytes. */
  function lay(name: string, bytes = readFileSync(good)): string {
    writeFileSync(join(folder, name), bytes);
    return name;
  }
  const at = (day: number) => `b-202601${day}T000000Z.tar`;

  test('get names by the time, and --keep leaves the newest of them and everything else', async () => {
    for (const day of [10, 11, 12]) lay(at(day));
    const others = [
      lay('b-20260109T000000Z.tar.incomplete'),
      lay('b-20260109T000000Z.tar.gz'),
      lay('b-20260109.tar'),
      lay('b-20260108T000000Z.tar', Buffer.from('no backup')),
      lay('b-20260107T000000Z.tar', readFileSync(good).subarray(0, -2048)),
    ];
    mkdirSync(join(folder, 'b-20260106T000000Z.tar'));
    symlinkSync(good, join(folder, 'b-20260105T000000Z.tar'));
    others.push('b-20260106T000000Z.tar', 'b-20260105T000000Z.tar');
    const { code, stdout } = await run(['backup', pattern(), '--with-media', '--keep', '2', '--json']);
    expect(code).toBe(0);
    const { file: path, removed } = JSON.parse(stdout);
    expect(basename(path)).toMatch(/^b-\d{8}T\d{6}Z\.tar$/);
    expect(removed).toEqual([at(11), at(10)].map((name) => join(folder, name)));
    expect(made()).toEqual([...others, at(12), basename(path)].sort());
    expect(existsSync(good)).toBe(true);
  });

  test('that are incomplete remove no whole one, and one another', async () => {
    const days = [10, 11, 12].map((day) => lay(at(day)));
    for (const day of [10, 11, 12]) lay(`${at(day)}.incomplete`);
    copyFileSync(pathOf(items[2]), join(folder, 'object'));
    writeFileSync(pathOf(items[2]), 'short');
    try {
      const { code, stdout } = await run(['backup', pattern(), '--with-media', '--keep', '2', '--json']);
      expect(code).toBe(1);
      const { file: path } = JSON.parse(stdout);
      expect(made()).toEqual([...days, `${at(12)}.incomplete`, basename(path)].sort());
      expect(path).toEndWith('.tar.incomplete');
    } finally {
      copyFileSync(join(folder, 'object'), pathOf(items[2]));
    }
  });

  test('of an empty library remove none and are not made', async () => {
    for (const day of [10, 11, 12]) lay(at(day));
    const empty = await emptyLibrary('empty', 1);
    const sentence = await refused(['backup', pattern(), '--with-media', '--keep', '1'], empty);
    expect(sentence).toContain(join(folder, at(12)));
    expect(made()).toEqual([10, 11, 12].map(at));
  });

  test('are needed for --keep, and a number', async () => {
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

/** A process that may mount, and whose mounts nobody else sees and nobody has to undo. */
const ISOLATED = ['unshare', '--user', '--map-root-user', '--mount'];
const canMount =
  Bun.which('unshare') !== null && Bun.spawnSync([...ISOLATED, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).success;

describe.skipIf(!canMount)('on a full disk (needs unshare and user namespaces)', () => {
  test.each([
    ['for the copy of the database', 60],
    ['for the backup', 300],
  ])('there is no room %s: one line, and what was there is there', async (_, kilobytes) => {
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
