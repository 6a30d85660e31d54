import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { outcomeOf } from '../src/outcomes.ts';
import { startStopwatch, until, within } from '../src/waiting/until.ts';

const WATCH = resolve(import.meta.dir, '../src/waiting/watch-tests.ts');

/** Runs a script in `sh`. Disposing of the result kills the process. */
function running(script: string) {
  const child = Bun.spawn(['sh', '-c', script], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
  return {
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}

/** A script that works for two seconds of processor time, however long that takes. */
const WORK = 'ulimit -t 2; while :; do :; done';

describe('a wait', () => {
  test('ends as soon as its condition holds or its promise is settled', async () => {
    const answers = [false, false, true];
    await until('it has been asked three times', () => answers.shift() ?? false);
    expect(answers).toEqual([]);
    expect(await within('a value', Promise.resolve('value'))).toBe('value');
    expect(await outcomeOf(within('a failure', Promise.reject(new Error('own'))))).toThrow('own');
    const broken = () => {
      throw new Error('broken');
    };
    expect(await outcomeOf(until('it fails', broken))).toThrow('broken');
  });

  test('fails with its name if no progress is made, even if its condition never returns', async () => {
    using _ = running('sleep 60');
    const never = new Promise<never>(() => undefined);
    const inVain = /^Waited \d+ s in vain (until|for): pigs fly \(for 1 s of that time, nothing moved\)$/;
    expect(await outcomeOf(until('pigs fly', () => false, 1000))).toThrow(inVain);
    expect(await outcomeOf(until('pigs fly', () => never, 1000))).toThrow(inVain);
    expect(await outcomeOf(within('pigs fly', never, 1000))).toThrow(inVain);
  });

  test('lasts as long as a child process works, whether the child was started directly or indirectly', async () => {
    using stopwatch = startStopwatch();
    using child = running(`sh -c '${WORK}'; exit`);
    await until('its time is up', child.hasEnded);
    expect(stopwatch.passed()).toBeGreaterThan(2000);
    // The first second counts in full. Later time counts much less, because the work may take long on a busy machine.
    expect(stopwatch.elapsed()).toBeLessThan(1500 + (stopwatch.passed() - 1500) / 4);
  });
});

test('a test without progress fails, and other tests continue, even if one takes more than five seconds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postshelf-watch-'));
  try {
    const head = "import { expect, test } from 'bun:test';";
    const files = {
      'a.test.ts': `${head}
        test('waits in vain', () => new Promise(() => {}));
        test('comes next', () => expect(1).toBe(1));`,
      'b.test.ts': `${head}
        test('takes long', () => Bun.sleep(5200));`,
    };
    for (const [name, tests] of Object.entries(files)) await Bun.write(join(folder, name), tests);
    const child = Bun.spawn([process.execPath, 'test', '--parallel=2', '--no-isolate', '--preload', WATCH], {
      cwd: folder,
      env: { ...process.env, POSTSHELF_TEST_LIMIT: '6000' },
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const said = await new Response(child.stderr).text();
    expect(said).toMatch(/The test has waited for \d+ s, and nothing has moved for 6 s\./);
    expect(said).toMatch(/\(fail\) waits in vain/);
    expect(said).toMatch(/\(pass\) comes next/);
    expect(said).toMatch(/\(pass\) takes long/);
    expect(await child.exited).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
