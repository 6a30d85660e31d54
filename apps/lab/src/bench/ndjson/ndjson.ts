import { join } from 'node:path';
import { memoryOf, Random } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { inTurn, spreadOf } from '../in-turn.ts';
import { linesOf, makePosts } from '../support/posts.ts';
import { withFolder } from '../support/program.ts';
import { importLines, makeProfile, makeWorkspace, startService } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { openBare } from './bare.ts';

const LINES = 100_000;
const ROUNDS = 5;

export const ndjson: Benchmark = {
  about:
    `\`POST /v1/workspaces/{workspace}/posts/import\` of ${LINES.toLocaleString('en-US')} lines in one request to \`postshelf serve\` over ` +
    'SQLite, each round a profile of its own, beside a bare loop over the same lines: JSON.parse and one prepared insert, in ' +
    'transactions of the same size, no HTTP and no roll-up. Then the same lines again, and again with other numbers.',

  run: (progress) =>
    withFolder(async (folder) => {
      const entry = await makeWorkspace({ DATA_DIR: folder }, 'Europe/Berlin');
      const service = await startService({ DATA_DIR: folder }, entry);
      const bare = openBare(join(folder, 'bare.db'));
      try {
        const again: Record<'unchanged' | 'updated', number[]> = { unchanged: [], updated: [] };
        const { ours, limit, ratio } = await inTurn(
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
          figure('new posts: bare', limit, 'lines/s'),
          figure('new posts: ours ÷ bare', ratio, 'ratio'),
          // The first of each belongs to the round that doesn't count.
          figure('the same again', spreadOf(again.unchanged.slice(1)), 'lines/s'),
          figure('again with other numbers', spreadOf(again.updated.slice(1)), 'lines/s'),
          { what: 'most memory that was ever resident', value: (await memoryOf(service.pid)).peak / 1e6, unit: 'MB' },
        ];
      } finally {
        bare.close();
        await service.end();
      }
    }),
};

async function linesASecond(work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const lines = await work();
  return (lines * 1000) / (performance.now() - start);
}
