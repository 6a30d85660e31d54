import { describe, expect, test } from 'bun:test';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@postshelf/testing/waiting';
import { confine, findConfinement, probeConfinement, weaknessesOf } from '../../src/child/confinement.ts';
import { runCommand } from '../../src/child/run-command.ts';
import { isRunning, Playground } from '../support/scripts.ts';

const MIB = 1024 * 1024;
const confinement = await findConfinement();
const { wrappers } = confinement;
const BARE = { wrappers: [], limitsMemory: true };

const output = async (command: readonly string[]): Promise<string | null> => {
  const bytes = await runCommand(command, { maxOutput: 64 * 1024, signal: AbortSignal.timeout(10_000) });
  return bytes && new TextDecoder().decode(bytes);
};

describe('a command', () => {
  test('has an empty environment, an empty input and the root folder as its working directory', async () => {
    process.env.POSTSHELF_TEST_SECRET = 'secret';
    try {
      expect(await output(['/usr/bin/env'])).toBe('');
      expect(await output(['/bin/cat'])).toBe('');
      expect(await output(['/bin/readlink', '/proc/self/cwd'])).toBe('/\n');
    } finally {
      delete process.env.POSTSHELF_TEST_SECRET;
    }
  });

  test('inherits no open files', async () => {
    await using playground = await Playground.open();
    const path = join(playground.path, 'secret');
    await Bun.write(path, 'secret');
    await using secret = await open(path, 'r');
    expect(secret.fd).toBeGreaterThan(2);
    const files = await output(['/bin/ls', '-l', '/proc/self/fd']);
    expect(files).toContain('/dev/null');
    expect(files).not.toContain('secret');
  });

  test('returns null when the tool is missing, fails, or takes too long', async () => {
    expect(await output(['/nowhere/command'])).toBeNull();
    expect(await output(['/bin/false'])).toBeNull();
    expect(await runCommand(['/bin/true'], { maxOutput: 0, signal: AbortSignal.abort() })).toBeNull();
  });

  test('may write up to its limit and not one byte more', async () => {
    const print = (count: number) => ['/usr/bin/head', '-c', `${count}`, '/dev/zero'];
    const signal = AbortSignal.timeout(10_000);
    expect((await runCommand(print(100_000), { maxOutput: 100_000, signal }))?.length).toBe(100_000);
    expect(await runCommand(print(100_001), { maxOutput: 100_000, signal })).toBeNull();
  });
});

describe('a confined command', () => {
  const limits = { memoryBytes: 300 * MIB, cpuSeconds: 7 };

  test('has the configured limits', async () => {
    const show = 'for limit in v t f c n; do ulimit -$limit; done';
    const confined = confine(['/bin/sh', '-c', show], limits, confinement);
    expect(await output(confined)).toBe(`${300 * 1024}\n7\n0\n0\n64\n`);
  });

  test('is not run at all when a limit cannot be set', async () => {
    const command = confine(['/bin/echo', 'ran'], { ...limits, memoryBytes: Number.NaN }, BARE);
    expect(await output(command)).toBeNull();
  });

  test('gets its arguments unchanged', async () => {
    const words = ['a b', '$(id)', '`id`', '"', "'", '*', ';', '', '-n'];
    const command = confine(['/usr/bin/printf', '%s|', ...words], limits, confinement);
    expect(await output(command)).toBe(`${words.join('|')}|`);
  });

  test('has no network if namespaces are available', async () => {
    const hasNamespace = wrappers.some((word) => word.endsWith('unshare'));
    const devices = await output(confine(['/bin/cat', '/proc/net/dev'], limits, confinement));
    const names = [...(devices ?? '').matchAll(/^\s*(\S+):/gm)].map(([, name]) => name);
    if (hasNamespace) expect(names).toEqual(['lo']);
    else expect(names).toContain('lo');
  });
});

/**
 * Expressions that run a tool, with what it makes as key. They can use three variables: `tool` (the path of the tool),
 * `source` (a file of zeros) and `signal`.
 */
const MAKERS: Readonly<Record<string, string>> = {
  covers: 'createCoverMaker({ ffmpegPath: tool, timeoutMs: 600_000 }).make(source)',
  'fitted images': `createMediaFitter({ ffmpegPath: '', decoder: { command: [tool] } }).make(source, { how: 'pad',
    from: 'image/jpeg', maxBytes: 99, maxTimeMs: 600_000, attempt: { type: 'image/jpeg', width: 9, height: 9, quality: 90 }, signal })`,
  'fitted videos': `createMediaFitter({ ffmpegPath: tool, decoder: { command: [] } }).make(source, { how: 'pad',
    from: 'image/gif', maxBytes: 99, maxTimeMs: 600_000, attempt: { type: 'video/mp4', width: 8, height: 8, frameRate: 1,
      quality: 90, maxBitrate: 9, minBitrate: 0, sampleRate: 9, audioBitrate: 9, maxDurationMs: null }, signal })`,
  previews: `createPreviewMaker({ command: [tool] }).make({ bytes: source, type: 'image/png', width: 9, height: 9 },
    [{ width: 9, height: 9 }], signal)`,
  conversions: `createImageConverter({ decoder: { command: [tool] }, libheif: null })
    .convert(source, 'image/heic', signal)`,
};

describe.skipIf(!wrappers.some((word) => word.endsWith('setpriv')))('a tool process', () => {
  // The environment is empty, because a service may be started with an empty one.
  test.each(Object.entries(MAKERS))('that makes %s dies with the process that started it', async (_, make) => {
    await using playground = await Playground.open();
    const hangs = await playground.script('/bin/mkdir "$MARKS/$$"', 'exec /bin/sleep 1000');
    const program = join(playground.path, 'parent.ts');
    const index = new URL('../../src/index.ts', import.meta.url).pathname;
    await Bun.write(
      program,
      `import { createCoverMaker, createImageConverter, createMediaFitter, createPreviewMaker } from ${JSON.stringify(index)};
       const tool = ${JSON.stringify(hangs)};
       const { signal } = new AbortController();
       const source = { size: 9, read: async (offset, length) => new Uint8Array(length) };
       await ${make};`,
    );
    const parent = Bun.spawn([process.execPath, program], { env: {}, stdout: 'ignore', stderr: 'inherit' });
    await until('it runs', async () => (await playground.marks()).length > 0);
    const [pid] = await playground.marks();
    expect(await isRunning(Number(pid))).toBe(true);
    parent.kill('SIGKILL');
    await until('it has ended', async () => !(await isRunning(Number(pid))));
  });
});

describe('a command on a machine with a missing feature', () => {
  const all = ['can reach the network', 'outlive a kill -9 of the service by some seconds', 'may use all memory'];
  test.each([
    ['namespaces', 'unshare', all[0]],
    ['a signal for the death of a parent', 'setpriv', all[1]],
    ['a memory limit', 'ulimit -v', all[2]],
  ])('runs without %s but with the other limits, and the weakness is reported', async (_, missing, expected = '') => {
    const found = await probeConfinement(async (command) => !command.join(' ').includes(missing));
    expect(weaknessesOf(found)).toContain(expected);
    const show = 'for limit in v t f c n; do ulimit -$limit; done';
    const memory = missing === 'ulimit -v' ? 'unlimited' : 300 * 1024;
    const limits = { memoryBytes: 300 * MIB, cpuSeconds: 7 };
    expect(await output(confine(['/bin/sh', '-c', show], limits, found))).toBe(`${memory}\n7\n0\n0\n64\n`);
  });
});

test('a command is not run if its parent has died before the command starts', async () => {
  const command = confine(['/bin/echo', 'ran'], { memoryBytes: 300 * MIB, cpuSeconds: 7 }, BARE);
  // The command expects this process as its parent, but is started by a shell, just as if its parent had died and
  // another process had adopted it.
  expect(await output(['/bin/sh', '-c', '"$@"; exit 0', 'sh', ...command])).toBe('');
});
