import { test as bunTest, expect } from 'bun:test';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { hasPrograms, testsThatNeed } from '@postshelf/testing/programs';
import { onSqlite } from '../support/database.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { program } from '../support/program.ts';
import { collect } from '../support/run.ts';
import { type CommandResult, removeFolder, scratchFolder } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const { afterEach, beforeEach, describe, test } = testsThatNeed(
  ['bash', 'curl', 'gzip', 'rsync', 'tar'],
  'the commands of docs/operating/backups.md',
);

const documents = resolve(import.meta.dir, '../../../../../docs');
const page = readFileSync(join(documents, 'operating/backups.md'), 'utf8');

/** The shell code blocks of a section, except for those in its subsections. */
function blocksUnder(title: string): readonly string[] {
  const [, text] = new RegExp(`^#+ ${title}\\n(.*?)(?=^#|$(?![\\s\\S]))`, 'ms').exec(withoutComments(page)) ?? [];
  if (text === undefined) throw new Error(`docs/operating/backups.md has no section ${title}.`);
  return Array.from(text.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block);
}

/** Removes shell comments, which begin with # and would be mistaken for headings. */
const withoutComments = (text: string) =>
  text.replace(/^```\w*\n.*?^```/gms, (block) => block.replace(/^# .*\n/gm, ''));

const picture = (number: number) => Buffer.concat([fixtures.png(), Buffer.from(`number ${number}`)]);

let world: World;
let items: MediaItem[];
/** The folder that replaces the machine's root in the commands. It contains /backups, /aside and so on. */
let root: string;

beforeEach(async () => {
  root = scratchFolder();
  for (const name of ['backups', 'aside', 'bin']) mkdirSync(join(root, name));
  world = await World.openAlone({ ...onSqlite, ...onDisk, JWT_SECRET: undefined });
  writeFileSync(join(root, 'pid'), String(world.server.pid));
  items = await world.store(...[1, 2, 3].map((n) => file(`${n}.png`, picture(n))));
  const run = [...program.command].map((part) => `'${part}'`).join(' ');
  // The script `systemctl` stands in for systemd: it stops and starts the service, and prints the id of its process.
  for (const [name, script] of [
    ['postshelf', `cd '${program.cwd}' && exec ${run} "$@"`],
    [
      'systemctl',
      `case "$1" in
        stop) kill "$(cat ${root}/pid)"; while kill -0 "$(cat ${root}/pid)" 2>&-; do sleep 0.05; done ;;
        start) cd '${program.cwd}'; ${run} serve >${root}/log 2>&1 </dev/null & echo $! > ${root}/pid
          until curl -sf "http://127.0.0.1:$PORT/health"; do kill -0 $! || exit 1; sleep 0.05; done ;;
        show) cat ${root}/pid ;;
        *) exit 1 ;;
      esac`,
    ],
  ] as const) {
    writeFileSync(join(root, 'bin', name), `#!/bin/bash\nset -e\n${script}\n`);
    chmodSync(join(root, 'bin', name), 0o755);
  }
});
afterEach(async () => {
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
  if (pid !== world.server.pid) {
    process.kill(pid, 'SIGKILL');
    await until('the restarted service has ended', () => !isAlive(pid));
  }
  await world.close();
  removeFolder(root);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** Runs a code block of the page, with only the root replaced in its paths. Stops at the first command that fails. */
async function follow(block = ''): Promise<CommandResult> {
  expect(block).not.toBe('');
  const local = block.replace(/(?<![\w$"}])\/(backups|aside|rescued|elsewhere(?:-too)?)\b/g, `${root}/$1`);
  const { code, stdout, stderr } = await collect(['bash', '-euo', 'pipefail', '-c', local], {
    cwd: root,
    env: { ...program.environment, ...world.server.settings, PATH: `${root}/bin:${process.env.PATH}` },
  });
  expect(`${code} ${stderr}`).toStartWith('0 ');
  return { code, stdout, stderr };
}

const inData = (...path: readonly string[]) => join(world.dataDir, ...path);
const pathOf = (item?: MediaItem) => inData('media', `${item?.full_name}`);
const makeBackups = async () => {
  for (const block of blocksUnder('Backups')) await follow(block);
};

/** Waits until the service is ready, and compares every image. */
async function expectAll(): Promise<void> {
  await until('the service is ready', async () => (await fetch(`${world.server.url}/ready`)).ok);
  for (const [n, { id, link }] of items.entries()) {
    expect((await world.call(`GET /media_contents/${id}`)).status).toBe(200);
    expect(Buffer.from(await (await fetch(`${link}`)).arrayBuffer())).toEqual(picture(n + 1));
  }
}

const isNotReady = () =>
  until('the service is not ready', async () => (await fetch(`${world.server.url}/ready`)).status === 503);

describe('docs/operating/backups.md', () => {
  test('explains how to make backups and a copy of the media, and how to restore them', async () => {
    await makeBackups();
    const names = readdirSync(join(root, 'backups')).sort();
    const dated = expect.stringMatching(/^postshelf-\d{8}T\d{6}Z\.tar$/);
    expect(names).toEqual(['list.tar', 'media', dated, 'postshelf.tar', 'postshelf.tar.gz']);
    for (const block of blocksUnder('A restore')) await follow(block);
    for (const place of ['elsewhere', 'elsewhere-too'])
      for (const [n, { full_name }] of items.entries())
        expect(readFileSync(join(root, place, 'media', `${full_name}`))).toEqual(picture(n + 1));
  });

  test('explains how to repair objects from a backup, and from a copy of the media', async () => {
    await makeBackups();
    const blocks = blocksUnder('When objects are missing or damaged');
    expect(blocks).toHaveLength(2);
    for (const block of blocks) {
      rmSync(pathOf(items[0]));
      writeFileSync(pathOf(items[1]), 'rotten');
      const { stdout } = await follow(block);
      expect(stdout).toContain('2 repaired, 0 missing');
      await expectAll();
    }
  });

  test('explains how to put back a database that was moved away', async () => {
    for (const name of readdirSync(world.dataDir).filter((each) => each.startsWith('postshelf.db')))
      renameSync(inData(name), join(root, 'aside', name));
    await isNotReady();
    await follow(blocksUnder('Moved away')[0]);
    await expectAll();
  });

  test('explains how to put back a database that was replaced', async () => {
    renameSync(inData('postshelf.db'), join(root, 'aside', 'postshelf.db'));
    copyFileSync(join(root, 'aside', 'postshelf.db'), inData('postshelf.db'));
    await isNotReady();
    await follow(blocksUnder('Replaced')[0]);
    await expectAll();
  });

  test('explains how to recover a deleted database from the process that still has it open', async () => {
    for (const name of readdirSync(world.dataDir).filter((each) => each.startsWith('postshelf.db')))
      rmSync(inData(name));
    await isNotReady();
    await follow(blocksUnder('Removed')[0]);
    await expectAll();
    items = [...items, await world.storeOne(file('4.png', picture(4)))];
    await expectAll();
  });

  test('explains how to restore a damaged database from the last backup and keep the media', async () => {
    await makeBackups();
    const { ino } = statSync(pathOf(items[0]));
    truncateSync(inData('postshelf.db'), 5000);
    await follow(blocksUnder('Truncated or overwritten')[0]);
    await expectAll();
    expect(statSync(pathOf(items[0])).ino).toBe(ino);
    expect(readdirSync(inData('damaged'))).toContain('postshelf.db');
  });
});

describe('the systemd unit of the nightly backup', () => {
  const unit = readFileSync(join(documents, 'deploy/postshelf-backup.service'), 'utf8');
  const commandOf = (key: string): string => {
    const [, line = ''] = new RegExp(`^${key}=(.*)$`, 'm').exec(unit) ?? [];
    return line.replace('/usr/local/bin/postshelf ', 'postshelf ').replace('/var/lib/postshelf-backups', '/backups');
  };

  test('backs up and verifies with its own settings', async () => {
    await follow(commandOf('ExecStart'));
    const [name = ''] = readdirSync(join(root, 'backups'));
    expect(name).toMatch(/^postshelf-\d{8}T\d{6}Z\.tar$/);
    expect((await follow(commandOf('ExecStopPost'))).stdout).toContain('no problems found');
    expect(unit).toContain('DATA_DIR=/var/lib/postshelf\n');
    expect(commandOf('ExecStart')).toContain('/backups/postshelf-{date}.tar --with-media --keep');
  });

  (hasPrograms(['systemd-analyze'], 'the unit of the nightly backup') ? test : bunTest.skip)(
    'is valid for systemd, as is its timer',
    () => {
      const names = ['postshelf-backup.service', 'postshelf-backup.timer'];
      for (const name of names) {
        const text = readFileSync(join(documents, 'deploy', name), 'utf8');
        writeFileSync(join(root, name), text.replaceAll('/usr/local/bin/postshelf', '/bin/true'));
      }
      const { exitCode, stderr } = Bun.spawnSync([
        'systemd-analyze',
        'verify',
        ...names.map((name) => join(root, name)),
      ]);
      expect(`${exitCode} ${stderr}`).toBe('0 ');
    },
  );
});
