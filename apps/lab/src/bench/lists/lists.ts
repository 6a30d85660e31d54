import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTurn } from '../in-turn.ts';
import { sqliteIsIndexed } from '../scale/database.ts';
import { postshelf, startScript, withPrograms } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';
import { type Case, casesOf } from './cases.ts';
import { fill } from './fill.ts';

const ROUNDS = 3;
/** Milliseconds of a side's requests in each round; slower lists are read once. */
const ROUND = 100;
const SIZES = [1000, 100_000, 1_000_000];
/** Milliseconds that a list may take on a quiet machine, whatever the size of its workspace. */
const MOST = 10;

/** Reads a list from one side. */
type Ask = (path: string) => Promise<Answer>;

interface Answer {
  readonly data: readonly { readonly id: string }[];
  readonly meta: { readonly total: number };
}

export const lists: Benchmark = {
  about:
    'Lists of media and of folders, 25 a page, from `postshelf serve` over SQLite, in workspaces of 1,000, 100,000 and 1,000,000 of ' +
    'either; one connection, milliseconds for one list. Beside a bare `Bun.serve` with the same two queries, prepared: the ' +
    'count and the page.',

  run: (progress) =>
    withPrograms(async (folder, until) => {
      progress('filling');
      const workspaces = await makeWorkspaces(folder);
      const ids = workspaces.flatMap(({ id }) => ['--workspace', id]);
      const { token } = await postshelf(['token', 'create', ...ids], { DATA_DIR: folder });
      fill(join(folder, 'postshelf.db'), workspaces);
      const service = await until(startService({ DATA_DIR: folder }, { workspace: '', token: String(token) }));
      const all = Object.fromEntries(workspaces.map(({ id, rows, base }) => [id, casesOf(rows, base)]));
      const settings = { DATABASE: service.database, LISTS: JSON.stringify(all) };
      progress('waiting for the search index');
      await sqliteIsIndexed(service.database);
      const bare = await until(startScript(join(import.meta.dir, 'bare.ts'), settings));

      const figures: Figure[] = [];
      for (const { id, rows } of workspaces)
        for (const list of all[id] ?? []) {
          const what = `${rows.toLocaleString('en-US')}: ${list.what}`;
          progress(what);
          const ours: Ask = async (path) => (await service.get(`/workspaces/${id}${path}`)) as Answer;
          const limit: Ask = async (path) => (await (await fetch(`${bare.root}/${id}${path}`)).json()) as Answer;
          figures.push(...(await compare(what, list, ours, limit)));
        }
      return figures;
    }),
};

async function makeWorkspaces(folder: string) {
  await postshelf(['migrate'], { DATA_DIR: folder });
  const made: { id: string; rows: number; base: number }[] = [];
  for (const rows of SIZES) {
    const { id } = await postshelf(['workspace', 'create', '--name', `${rows}`], { DATA_DIR: folder });
    // Ranges of ids don't overlap.
    made.push({ id: String(id), rows, base: rows * 10 });
  }
  return made;
}

async function compare(what: string, { path }: Case, ours: Ask, limit: Ask): Promise<readonly Figure[]> {
  const [one, other] = [await ours(path), await limit(path)];
  const same = one.meta.total === other.meta.total && Bun.deepEquals(one.data.map(idOf), other.data.map(idOf));
  if (!same || one.data.length === 0)
    throw new Error(`The two differ in ${what}: ${one.meta.total}, ${other.meta.total}`);
  const took = await inTurn(
    ROUNDS,
    () => timed(() => ours(path)),
    () => timed(() => limit(path)),
  );
  const measured: Figure = { ...figure(what, took.ours, 'ms'), goal: { kind: 'at most', value: MOST } };
  return [measured, figure(`${what}: time, ours ÷ bare`, took.ratio, 'ratio')];
}

const idOf = ({ id }: { readonly id: string }): string => id;

/** Milliseconds for one list. */
async function timed(ask: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  for (let times = 1; ; times += 1) {
    await ask();
    const took = performance.now() - start;
    if (took >= ROUND) return took / times;
  }
}
