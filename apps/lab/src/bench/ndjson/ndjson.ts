import { join } from 'node:path';
import { compiled, memoryOf, type Program, Random } from '@postshelf/harness';
import type { Benchmark, Figure } from '../benchmark.ts';
import { buildProgram } from '../binary/program.ts';
import { inTurn, spreadOf } from '../in-turn.ts';
import { streamOf } from '../support/bodies.ts';
import { linesOf, makePosts } from '../support/posts.ts';
import { withFolder, withPrograms } from '../support/program.ts';
import { importLines, makeProfile, makeWorkspace, startNewService, startService } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { openBare } from './bare.ts';

const LINES = 100_000;
const ROUNDS = 5;

/** Number of lines in a long request. */
const MANY = 1_000_000;

export const ndjson: Benchmark = {
  about:
    `\`POST /v1/workspaces/{workspace}/posts/import\` of ${LINES.toLocaleString('en-US')} lines in one request to \`postshelf serve\` over ` +
    'SQLite, for a new profile in each round. It is compared with a bare loop over the same lines, which does JSON.parse and one ' +
    'prepared insert in transactions of the same size, without HTTP and roll-up. Then the same lines are imported again, and ' +
    'again with other numbers. Most memory: the maximum resident memory (VmHWM) of the program as one file, which needs some ' +
    `30 MB less for code than the program from source, during a request of ${LINES.toLocaleString('en-US')} and one of ${MANY.toLocaleString('en-US')} lines.`,

  run: async (progress) => {
    const figures = await measureSpeed(progress);
    const by = compiled(await buildProgram());
    const peaks: Figure[] = [];
    for (const lines of [LINES, MANY]) {
      const count = lines.toLocaleString('en-US');
      progress(`memory for ${count} lines`);
      const value = (await peakOf(lines, by)) / 1e6;
      peaks.push({ what: `most memory, ${count} lines`, value, unit: 'MB', goal: { kind: 'at most', value: 150 } });
    }
    return [...figures, ...peaks];
  },
};

function measureSpeed(progress: (line: string) => void): Promise<readonly Figure[]> {
  return withFolder(async (folder) => {
    const entry = await makeWorkspace({ DATA_DIR: folder }, 'Europe/Berlin');
    const service = await startService({ DATA_DIR: folder }, entry);
    const bare = openBare(join(folder, 'bare.db'));
    try {
      const again: Record<'unchanged' | 'updated', number[]> = { unchanged: [], updated: [] };
      const { ours, theirs, ratio } = await inTurn(
        ROUNDS,
        async () => {
          progress('importing');
          const profile = await makeProfile(service, 'Profile');
          const body = linesOf(profile, makePosts(new Random(1), 0, LINES));
          const newer = body.replaceAll('"clicks":', '"clicks":1');
          const speed = await linesASecond(() => importLines(service, body, 'created'));
          again.unchanged.push(await linesASecond(() => importLines(service, body, 'unchanged')));
          again.updated.push(await linesASecond(() => importLines(service, newer, 'updated')));
          return speed;
        },
        async () => {
          const lines = linesOf(Bun.randomUUIDv7(), makePosts(new Random(1), 0, LINES))
            .trimEnd()
            .split('\n');
          return linesASecond(async () => {
            bare.insert(lines);
            return lines.length;
          });
        },
      );
      return [
        figure('new posts: ours', ours, 'lines/s'),
        figure('new posts: bare', theirs, 'lines/s'),
        figure('new posts: ours ÷ bare', ratio, 'ratio'),
        // The first value in each of these lists belongs to the warm-up round.
        figure('the same again', spreadOf(again.unchanged.slice(1)), 'lines/s'),
        figure('again with other numbers', spreadOf(again.updated.slice(1)), 'lines/s'),
      ];
    } finally {
      bare.close();
      await service.end();
    }
  });
}

/** Returns the peak memory, in bytes, of a service that imports `lines` lines. */
const peakOf = (lines: number, by: Program): Promise<number> =>
  withPrograms(async (folder, until) => {
    const settings = { DATA_DIR: folder };
    const service = await until(startNewService(settings, by));
    const profile = await makeProfile(service, 'Profile');
    await importLines(service, streamOf(inChunks(profile, lines)), 'created');
    return (await memoryOf(service.pid)).peak;
  });

/** Yields a thousand lines at a time, so that they are never all in memory. */
function* inChunks(profile: string, lines: number): Generator<Uint8Array> {
  const random = new Random(1);
  for (let first = 0; first < lines; first += 1000) {
    yield Buffer.from(linesOf(profile, makePosts(random, first, 1000)));
  }
}

async function linesASecond(work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const lines = await work();
  return (lines * 1000) / (performance.now() - start);
}
