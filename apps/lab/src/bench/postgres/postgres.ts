import { join } from 'node:path';
import { repeatConcurrently, until as untilTrue } from '@postshelf/harness';
import { fixture } from '@postshelf/testing/fixtures';
import { makeDatabase } from '@postshelf/testing/servers/postgres';
import type { Benchmark, Figure } from '../benchmark.ts';
import { makePhoto } from '../support/bodies.ts';
import { load } from '../support/load.ts';
import { source, sourceOf, startScript, withPrograms } from '../support/program.ts';
import { figure, type SideBySide, sideBySide, type Worker } from '../support/side-by-side.ts';
import { syncedPostgres } from '../support/synced-postgres.ts';
import { type Side, startBare, startSide } from './sides.ts';

const ROUNDS = 7;
const CONNECTIONS = 16;
const SECONDS = 3;
/** The number of imports in a round, and the number of clients that request them. */
const IMPORTS = 150;
const CLIENTS = 16;

export const postgres: Benchmark = {
  about:
    '`postshelf serve` over PostgreSQL with its default pool of 10 connections: reads an item by its id, and imports a photo of ' +
    '100 KB and a video of some kilobytes by URL from a server on the same machine, without covers, until every item is ' +
    "`active`. It is compared with Bun's own server and Bun's own client of PostgreSQL, which read the same rows of the token and " +
    `the item, or store the file, synced, and one row. ${CONNECTIONS} connections. Database, client and server share the same cores, ` +
    'so the processor time of server and database together counts. Commits are synced.',

  run: async (progress, beside) => {
    const server = await syncedPostgres('the benchmark of PostgreSQL');
    const figures: Figure[] = [];
    const [one, other] = [await makeDatabase(server), await makeDatabase(server)];
    try {
      await withPrograms(async (folder, until) => {
        progress('starting');
        const ours = await startSide(join(folder, 'ours'), one.url, source, until);
        const theirs =
          beside === null
            ? await startBare(join(folder, 'bare'), ours, one.url, until)
            : await startSide(join(folder, 'beside'), other.url, sourceOf(beside), until);
        const name = beside === null ? 'bare' : 'beside';
        progress(`measuring: ${ROUNDS} rounds of reads`);
        figures.push(...figuresOf('reads', name, await sideBySide(ROUNDS, reading(ours), reading(theirs))));
        await Bun.write(join(folder, 'photo.jpg'), await makePhoto());
        for (const [what, path, type] of [
          ['photos imported', join(folder, 'photo.jpg'), 'image/jpeg'],
          ['videos imported', (await fixture('mp4')).path, 'video/mp4'],
        ] as const) {
          progress(`measuring: ${ROUNDS} rounds of ${what}`);
          const url = await until(
            startScript(join(import.meta.dir, '../imports/origin.ts'), { FILE: path, TYPE: type }),
          );
          const both = await sideBySide(ROUNDS, importing(ours, url.root), importing(theirs, url.root));
          figures.push(...figuresOf(what, name, both));
        }
      });
    } finally {
      await one.remove();
      await other.remove();
    }
    return figures;
  },
};

const reading = ({ pid, helperSeconds, root, headers, item }: Side): Worker => ({
  pid,
  helperSeconds,
  work: async () => {
    const url = `${root}/v1/media_contents/${item}`;
    const { requests, seconds } = await load(url, { connections: CONNECTIONS, seconds: SECONDS, headers });
    return { done: requests, seconds };
  },
});

const importing = ({ pid, helperSeconds, root, headers, workspace, isDone }: Side, origin: string): Worker => ({
  pid,
  helperSeconds,
  work: async () => {
    const body = JSON.stringify({ url: `${origin}/file` });
    const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body };
    await repeatConcurrently(CLIENTS, IMPORTS, async () => {
      const answer = await fetch(`${root}/v1/workspaces/${workspace}/media_contents`, init);
      if (!answer.ok) throw new Error(`An import answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    });
    await untilTrue('every import has ended', isDone, 60_000);
    return IMPORTS;
  },
});

const figuresOf = (what: string, name: string, { speed, byCpu }: SideBySide): Figure[] => [
  figure(`${what}: ours ÷ ${name}`, speed.ratio, 'ratio'),
  figure(`${what}: ours`, speed.ours, 'per s'),
  figure(`${what}: ${name}`, speed.theirs, 'per s'),
  figure(`${what}: ours ÷ ${name}, by CPU time of server and database`, byCpu.ratio, 'ratio'),
  figure(`${what}: ours, by CPU time`, byCpu.ours, 'per s'),
];
