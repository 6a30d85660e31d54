import { describe, expect, test } from 'bun:test';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import type { ByteSource } from '@postshelf/domain';
import { fixture, sourceOf } from '@postshelf/testing/fixtures';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { until } from '@postshelf/testing/waiting';
import { createCoverMaker } from '../../src/index.ts';
import { isRunning, Playground } from '../support/scripts.ts';

const MIB = 1024 * 1024;
const source: ByteSource = sourceOf(new Uint8Array(1000));
const jpeg = (await fixture('jpeg')).path;
const LEAVE_PID = '/bin/mkdir "$MARKS/$$"';

describe('an ffmpeg process', () => {
  test.each([
    ['hangs', 1, 1000, ['exec /bin/sleep 1000']],
    ['computes without end', 1, 1000, ['while :; do :; done']],
    // ffmpeg is started once to report on the file, and twice for a frame.
    ['writes without end', 3, 60_000, ['/usr/bin/yes >&2 &', 'exec /usr/bin/yes']],
  ])('that %s is killed', async (_, started, timeoutMs, lines) => {
    await using playground = await Playground.open();
    const script = await playground.script(LEAVE_PID, ...lines);
    expect(await createCoverMaker({ ffmpegPath: script, timeoutMs }).make(source)).toBeNull();
    expect(await runningAmong(playground)).toEqual({ started, running: 0 });
  });

  test('is killed when the cover is aborted', async () => {
    await using playground = await Playground.open();
    const script = await playground.script(LEAVE_PID, 'exec /bin/sleep 1000');
    const leaving = new AbortController();
    const making = createCoverMaker({ ffmpegPath: script }).make(source, leaving.signal);
    await until('it runs', async () => (await playground.marks()).length === 1);
    leaving.abort();
    expect(await making).toBeNull();
    expect(await runningAmong(playground)).toEqual({ started: 1, running: 0 });
  });

  test.each([
    ['that keep its output open', null, 1, ['/bin/sleep 1000 &', '/bin/mkdir "$MARKS/$!"', 'exit 0']],
    [
      'that do not use its output',
      { width: 160 },
      2,
      ['/bin/sleep 1000 </dev/null >/dev/null 2>&1 &', '/bin/mkdir "$MARKS/$!"', `exec /bin/cat '${jpeg}'`],
    ],
  ])('leaves no child processes %s', async (_, cover, runs, lines) => {
    await using playground = await Playground.open();
    const forks = await playground.script(...lines);
    const made = await createCoverMaker({ ffmpegPath: forks, timeoutMs: 1000 }).make(source);
    if (cover === null) expect(made).toBeNull();
    else expect(made).toMatchObject(cover);
    expect(await playground.marks()).toHaveLength(runs);
    await until('all have ended', async () => (await runningAmong(playground)).running === 0);
  });

  test.skipIf(Bun.which('nice') === null)('has the lowest priority for a background cover', async () => {
    await using playground = await Playground.open();
    const script = await playground.script('mkdir "$MARKS/$(nice)" || exit 0');
    const maker = createCoverMaker({ ffmpegPath: script });
    for (const priority of ['normal', 'lowest'] as const) await maker.make(source, undefined, priority);
    expect(new Set(await playground.marks())).toEqual(new Set([`${getPriority()}`, '19']));
  });

  test('yields no cover after a timeout, but throws at the lowest priority because the video may be fine', async () => {
    await using playground = await Playground.open();
    const maker = createCoverMaker({ ffmpegPath: await playground.script('exec sleep 60'), timeoutMs: 50 });
    expect(await maker.make(source)).toBeNull();
    expect(await outcomeOf(maker.make(source, undefined, 'lowest'))).toThrow('not made in time');
  });

  test('is stopped if it allocates too much memory', async () => {
    await using playground = await Playground.open();
    const doubling = [
      'x=0123456789abcdef n=16',
      'while :; do',
      'x=$x$x n=$((2 * n))',
      '/bin/mkdir "$MARKS/$n"',
      'done',
    ];
    const eats = await playground.script(...doubling);
    expect(await createCoverMaker({ ffmpegPath: eats, memoryBytes: 64 * MIB }).make(source)).toBeNull();
    const sizes = (await playground.marks()).map(Number);
    expect(Math.max(...sizes)).toBeGreaterThan(MIB);
    expect(Math.max(...sizes)).toBeLessThan(64 * MIB);
  });

  test('makes no cover if it writes no valid image', async () => {
    await using playground = await Playground.open();
    for (const lines of [['echo words'], [`/usr/bin/head -c 100 '${jpeg}'`], []]) {
      const script = await playground.script(...lines);
      expect(await createCoverMaker({ ffmpegPath: script }).make(source)).toBeNull();
    }
  });

  test('makes no cover if it fails, whatever it wrote', async () => {
    await using playground = await Playground.open();
    const works = await playground.script(`exec /bin/cat '${jpeg}'`);
    const fails = await playground.script(`/bin/cat '${jpeg}'`, 'exit 1');
    expect(await createCoverMaker({ ffmpegPath: works }).make(source)).toMatchObject({ width: 160, height: 96 });
    expect(await createCoverMaker({ ffmpegPath: fails }).make(source)).toBeNull();
  });

  test('runs again for a video shorter than one second', async () => {
    await using playground = await Playground.open();
    const picky = await playground.script(
      'while [ "$1" != -ss ]; do shift; done',
      '/bin/mkdir "$MARKS/$2"',
      `[ "$2" = 1 ] || exec /bin/cat '${jpeg}'`,
    );
    expect(await createCoverMaker({ ffmpegPath: picky }).make(source)).toMatchObject({ width: 160 });
    expect((await playground.marks()).toSorted()).toEqual(['0', '1']);
  });

  test('cannot write files', async () => {
    await using playground = await Playground.open();
    const target = join(playground.path, 'file');
    const script = await playground.script(`echo words > '${target}'`, LEAVE_PID);
    expect(await createCoverMaker({ ffmpegPath: script }).make(source)).toBeNull();
    expect(Bun.file(target).size).toBe(0);
  });

  test('gets the bytes as a file without a name', async () => {
    await using playground = await Playground.open();
    const bytes = await Bun.file(jpeg).bytes();
    const script = await playground.script(
      '/bin/readlink /proc/$$/fd/0 | /bin/grep -q deleted || exit 1',
      'exec /bin/cat /dev/stdin',
    );
    const cover = await createCoverMaker({ ffmpegPath: script }).make(sourceOf(bytes));
    expect(cover && Buffer.compare(cover.bytes, bytes)).toBe(0);
  });
});

/** Counts the processes whose ids were left as marks, and those among them that are still running. */
async function runningAmong(playground: Playground): Promise<{ started: number; running: number }> {
  const pids = (await playground.marks()).map(Number);
  const running = await Promise.all(pids.map(isRunning));
  return { started: pids.length, running: running.filter(Boolean).length };
}
