import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { parseStat, readProcess } from '../../../src/filesystem/staging/proc-stat.ts';
import { livenessOf } from '../../../src/filesystem/staging/process-liveness.ts';
import {
  currentOwner,
  nameOfOwner,
  parseOwner,
  readOwner,
  type StagingOwner,
} from '../../../src/filesystem/staging/staging-owner.ts';
import { ownRun, tellsWhoLives } from '../../support/staging.ts';

const RUN: StagingOwner = {
  machine: '0123456789abcdef0123456789abcdef',
  boot: '1fae37d9-8318-4bb4-8547-c829992764b5',
  namespace: '4026531836',
  pid: 4242,
  started: '425503',
};
/** More than any system gives (proc_sys_kernel(5)). */
const NO_PID = 2 ** 30;
const OTHER_BOOT = '00000000-0000-4000-8000-000000000000';

describe('a process, as /proc describes it', () => {
  const stat = (name: string, state: string): string =>
    `4242 (${name}) ${state} 1 4242 4242 0 -1 4194304 1090 0 0 0 7 5 0 0 20 0 4 0 425503 6645706752 6905\n`;

  test.each(['bun', '', 'a b', ') Z 1 2', '((', 'x\n) S 1'])('is read whatever it is called: %j', (name) => {
    expect(parseStat(stat(name, 'S'))).toEqual({ pid: 4242, isDead: false, started: '425503' });
  });

  test.each([
    ['R', false],
    ['D', false],
    ['T', false],
    ['Z', true],
    ['X', true],
  ])('in state %s: is it dead? %p', (state, isDead) => {
    expect(parseStat(stat('bun', state))?.isDead).toBe(isDead);
  });

  test.each(['', 'nonsense', '4242 (bun) S 1 2 3', '(bun) S'])('is not read from %j', (text) => {
    expect(parseStat(text)).toBeNull();
  });
});

describe('the name of a run', () => {
  test.each([RUN, { ...RUN, machine: null }])('is read back: machine $machine', (run) => {
    expect(nameOfOwner(run)).toMatch(/^[0-9a-z.-]{1,255}$/);
    expect(parseOwner(nameOfOwner(run))).toEqual(run);
  });

  test.each([
    '',
    '.',
    '..',
    'lost+found',
    crypto.randomUUID(),
    `${nameOfOwner(RUN)}.1`,
    `${nameOfOwner(RUN)}\n`,
    `../${nameOfOwner(RUN)}`,
  ])('is not %j', (name) => {
    expect(parseOwner(name)).toBeNull();
  });

  test('is the same whoever asks in a process', async () => {
    const [one, two] = await Promise.all([currentOwner(), currentOwner()]);
    expect(one).toEqual(two);
    expect(one.owner).toEqual(await readOwner());
  });
});

test('a system without /proc does not tell runs apart', async () => {
  expect(await readOwner('/nowhere')).toBeNull();
});

describe('on another boot', () => {
  test('of the same machine a run is dead', async () => {
    expect(await livenessOf({ ...RUN, boot: OTHER_BOOT }, RUN)).toBe('dead');
  });

  test('of another machine nobody knows', async () => {
    expect(await livenessOf({ ...RUN, boot: OTHER_BOOT, machine: 'f'.repeat(32) }, RUN)).toBe('unknown');
  });

  test('nobody knows where machines are not told apart', async () => {
    const self = { ...RUN, machine: null };
    expect(await livenessOf({ ...self, boot: OTHER_BOOT }, self)).toBe('unknown');
    expect(await livenessOf({ ...RUN, boot: OTHER_BOOT }, self)).toBe('unknown');
    expect(await livenessOf({ ...self, boot: OTHER_BOOT }, RUN)).toBe('unknown');
  });
});

describe.skipIf(!tellsWhoLives)('on this boot (needs /proc)', () => {
  test('the own run lives', async () => {
    const self = await ownRun();
    expect(self.pid).toBe(process.pid);
    expect(await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).toBe(`${self.boot}\n`);
    expect(await livenessOf(self, self)).toBe('alive');
  });

  test('one that had the same id is dead', async () => {
    const self = await ownRun();
    expect(await livenessOf({ ...self, started: String(Number(self.started) - 1) }, self)).toBe('dead');
  });

  test('one whose id nobody has is dead', async () => {
    const self = await ownRun();
    expect(await livenessOf({ ...self, pid: NO_PID }, self)).toBe('dead');
  });

  test('one that was killed is dead, also while nobody asks for its exit status', async () => {
    // `exec` leaves the child to a program that knows of none, and never waits for it.
    const script = 'sleep 1000 >/dev/null & echo $!; exec cat';
    const parent = Bun.spawn(['sh', '-c', script], { stdin: 'pipe', stdout: 'pipe' });
    try {
      const { value } = await parent.stdout.getReader().read();
      const pid = Number(new TextDecoder().decode(value));
      const self = await ownRun();
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

  test.each([0, 2 ** 40])('of one with the impossible id %d nobody knows', async (pid) => {
    const self = await ownRun();
    expect(await livenessOf({ ...self, pid }, self)).toBe('unknown');
  });

  test('of one in another PID namespace nobody knows', async () => {
    const self = await ownRun();
    expect(await livenessOf({ ...self, namespace: '1', pid: NO_PID }, self)).toBe('unknown');
  });
});
