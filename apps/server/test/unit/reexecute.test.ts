import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingSettings } from '../../src/compose/host/reexecute.ts';

const MODULE = join(import.meta.dir, '../../src/compose/host/reexecute.ts');

/** Opens pipes that nobody writes to, each of which holds a thread, until a file is read in spite of them. */
const PROGRAM = `
  const { reexecute } = await import(process.argv[2]);
  reexecute([process.execPath, import.meta.path]);
  const { open, stat } = await import('node:fs/promises');
  for (let pipe = 0; pipe < 7; pipe += 1) void open(process.argv[3], 'r');
  await stat(process.argv[3]);
  const { OTHER, ...others } = process.env;
  const compiling = Object.keys(others).filter((name) => name.startsWith('BUN_JSC_'));
  process.stdout.write(JSON.stringify([process.pid, OTHER, ...compiling.sort()]));
  process.exit(0);
`;

const THREADS = 'UV_THREADPOOL_SIZE';
const COMPILING = ['BUN_JSC_startupJITDeferralScale', 'BUN_JSC_thresholdForFTLOptimizeAfterWarmUp'] as const;

describe('The program on a machine with fewer than eight processors', () => {
  test.skipIf(process.platform !== 'linux' || availableParallelism() >= 8)(
    'starts anew as the same process, in which seven calls that wait for the disk keep no other from it',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'postshelf-threads-'));
      try {
        const [pipe, program] = [join(folder, 'pipe'), join(folder, 'program.ts')];
        await Bun.write(program, PROGRAM);
        expect(Bun.spawnSync(['mkfifo', pipe]).success).toBe(true);
        const started = Bun.spawn([process.execPath, program, MODULE, pipe], {
          env: { OTHER: 'kept', [THREADS]: '' },
          stderr: 'pipe',
          timeout: 30_000,
        });
        expect(JSON.parse(await new Response(started.stdout).text())).toEqual([started.pid, 'kept', ...COMPILING]);
        expect(await new Response(started.stderr).text()).toBe('');
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    60_000,
  );

  test.skipIf(availableParallelism() >= 8)('goes on as it is where it cannot start anew', async () => {
    const { reexecute } = await import('../../src/compose/host/reexecute.ts');
    expect(reexecute(['/nowhere'])).toBeUndefined();
  });

  test.each<[string, Record<string, string>, number, readonly string[]]>([
    ['all of it', {}, 2, [THREADS, ...COMPILING]],
    ['nothing that an operator has set', { [THREADS]: '3', [COMPILING[0]]: '1', [COMPILING[1]]: '64000' }, 2, []],
    ['no threads where Go is told of some', { GOMAXPROCS: '3' }, 2, COMPILING],
    ['nothing where processors are many', {}, 8, []],
  ])('is given %s', (_, env, processors, names) => {
    expect(Object.keys(missingSettings(env, processors)).sort()).toEqual([...names].sort());
  });
});
