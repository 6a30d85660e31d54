import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const MODULE = join(import.meta.dir, '../../src/compose/host/disk-threads.ts');

/** Opens pipes that nobody writes to, each of which holds a thread, until a file is read in spite of them. */
const PROGRAM = `
  require(process.argv[2]).allowDiskThreads();
  const { open, stat } = require('node:fs/promises');
  for (let pipe = 0; pipe < 7; pipe += 1) void open(process.argv[3], 'r');
  await stat(process.argv[3]);
  process.stdout.write('read');
  process.exit(0);
`;

test.skipIf(process.platform !== 'linux' || availableParallelism() >= 8)(
  'seven calls that wait for the disk keep no other from it, on a machine with fewer processors',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postshelf-threads-'));
    try {
      const [pipe, program] = [join(folder, 'pipe'), join(folder, 'program.ts')];
      await Bun.write(program, PROGRAM);
      expect(Bun.spawnSync(['mkfifo', pipe]).success).toBe(true);
      const { stdout } = Bun.spawnSync([process.execPath, program, MODULE, pipe], { env: {}, timeout: 30_000 });
      expect(stdout.toString()).toBe('read');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  60_000,
);
