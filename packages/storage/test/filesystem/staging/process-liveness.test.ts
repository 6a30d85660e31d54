import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStat, readProcess } from '../../../src/filesystem/staging/proc-stat.ts';
import { livenessOf } from '../../../src/filesystem/staging/process-liveness.ts';
import {
  currentOwner,
  nameOfOwner,
  parseOwner,
  readOwner,
  type StagingOwner,
} from '../../../src/filesystem/staging/staging-owner.ts';
import { openProcesses } from '../../../src/index.ts';
import { startProcess } from '../../support/processes.ts';
import { testInScratch } from '../../support/scratch.ts';
import { detectsDeadProcesses, ownProcess } from '../../support/staging.ts';

const OWNER: StagingOwner = {
  machine: '0123456789abcdef0123456789abcdef',
  boot: '1fae37d9-8318-4bb4-8547-c829992764b5',
  namespace: '4026531836',
  pid: 4242,
  started: '425503',
};
const NAME = nameOfOwner(OWNER);
/** Greater than any pid that a system assigns (proc_sys_kernel(5)). */
const NO_PID = 2 ** 30;
const OTHER_BOOT = '00000000-0000-4000-8000-000000000000';

describe('/proc/PID/stat', () => {
  const stat = (name: string, state = 'S'): string =>
    `4242 (${name}) ${state} 1 4242 4242 0 -1 4194304 1090 0 0 0 7 5 0 0 20 0 4 0 425503 6645706752 6905\n`;

  test.each(['bun', '', 'a b', ') Z 1 2', '((', 'x\n) S 1'])('is parsed with any name of the process: %j', (name) => {
    expect(parseStat(stat(name))).toEqual({ pid: 4242, isDead: false, started: '425503' });
  });

  test('shows a process as dead only in the states Z and X', () => {
    const dead = ['R', 'S', 'D', 'T', 'Z', 'X'].filter((state) => parseStat(stat('bun', state))?.isDead);
    expect(dead).toEqual(['Z', 'X']);
  });

  test.each(['', 'nonsense', '4242 (bun) S 1 2 3', '(bun) S'])('is not parsed from %j', (text) => {
    expect(parseStat(text)).toBeNull();
  });
});

describe('the name of an owner', () => {
  test.each([OWNER, { ...OWNER, machine: null }])('is parsed back: machine $machine', (owner) => {
    expect(nameOfOwner(owner)).toMatch(/^[0-9a-z.-]{1,255}$/);
    expect(parseOwner(nameOfOwner(owner))).toEqual(owner);
  });

  test.each(['', '.', '..', 'lost+found', crypto.randomUUID(), `${NAME}.1`, `${NAME}\n`, `../${NAME}`])(
    'is not %j',
    (name) => {
      expect(parseOwner(name)).toBeNull();
    },
  );

  test('is the same throughout a process; without /proc there is no owner', async () => {
    const [one, two] = await Promise.all([currentOwner(), currentOwner()]);
    expect(one).toEqual(two);
    expect(one.owner).toEqual(await readOwner());
    expect(await readOwner('/nowhere')).toBeNull();
  });
});

describe('an owner of another boot', () => {
  const other = { ...OWNER, boot: OTHER_BOOT };
  const nameless = { ...OWNER, machine: null };

  test.each([
    ['dead', 'of the same machine', other, OWNER],
    ['unknown', 'of another machine', { ...other, machine: 'f'.repeat(32) }, OWNER],
    ['unknown', 'where neither machine has a name', { ...other, machine: null }, nameless],
    ['unknown', 'where this machine has none', other, nameless],
    ['unknown', 'where the other machine has none', { ...other, machine: null }, OWNER],
  ] as const)('is %s %s', async (liveness, _, owner, self) => {
    expect(await livenessOf(owner, self)).toBe(liveness);
  });
});

describe.skipIf(!detectsDeadProcesses)('an owner of this boot (needs /proc)', () => {
  test('is alive as this process', async () => {
    const self = await ownProcess();
    expect(self.pid).toBe(process.pid);
    expect(await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).toBe(`${self.boot}\n`);
    expect(await livenessOf(self, self)).toBe('alive');
  });

  test('is alive as this process, whatever start time /proc has', async () => {
    const self = { ...(await ownProcess()), started: '1' };
    expect(await livenessOf({ ...self }, self)).toBe('alive');
  });

  test.each([
    ['dead', 'had the same id before', (self: StagingOwner) => ({ started: String(Number(self.started) - 1) })],
    ['dead', 'has an id that nobody has', () => ({ pid: NO_PID })],
    ['unknown', 'has the id 0', () => ({ pid: 0 })],
    ['unknown', 'has an id beyond 32 bits', () => ({ pid: 2 ** 40 })],
    ['unknown', 'is in another PID namespace', () => ({ namespace: '1', pid: NO_PID })],
  ] as const)('is %s where it %s', async (liveness, _, changes) => {
    const self = await ownProcess();
    expect(await livenessOf({ ...self, ...changes(self) }, self)).toBe(liveness);
  });

  testInScratch('is dead once it is killed, even as a zombie whose exit status nobody has read', async (scratch) => {
    // `exec` makes cat the parent, which never waits for the child; its output shows that it runs.
    const script = 'sleep 1000 >/dev/null & echo $! >"$0"; exec cat "$0" -';
    const parent = Bun.spawn(['sh', '-c', script, join(scratch, 'pid')], { stdin: 'pipe', stdout: 'pipe' });
    try {
      const { value } = await parent.stdout.getReader().read();
      const pid = Number(new TextDecoder().decode(value));
      const self = await ownProcess();
      const { started } = (await readProcess(pid)) ?? { started: '' };
      const child = { ...self, pid, started };
      expect(await livenessOf(child, self)).toBe('alive');
      process.kill(pid, 'SIGKILL');
      while (!(await readProcess(pid))?.isDead);
      expect(await livenessOf(child, self)).toBe('dead');
    } finally {
      parent.kill('SIGKILL');
      await parent.exited;
    }
  });

  test('a process identified by its name is dead once it is killed, and not before', async () => {
    const processes = await openProcesses();
    const other = await startProcess('tell-name');
    for (const name of [processes.own, other.said]) {
      expect(name).toMatch(/^[\w.-]{30,}$/);
      expect(await processes.isDead(name)).toBe(false);
    }
    expect(other.said).not.toBe(processes.own);
    await other.kill();
    expect(await processes.isDead(other.said)).toBe(true);
    for (const name of ['', 'host', crypto.randomUUID(), 'a.b.c.d.e']) expect(await processes.isDead(name)).toBe(false);
  });
});
