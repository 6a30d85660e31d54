import type { Fence } from '@postshelf/domain';
import { markMoved } from '../library/fence-repository.ts';
import type { Database, RowAccess } from '../store/database.ts';
import type { Queries } from '../store/dialect.ts';
import { UnusableDatabase } from '../store/errors.ts';
import { compareTables, type RowProblem, type TableTally } from './compare-tables.ts';
import { COPIED_TABLES, type CopiedTable } from './plan.ts';
import { putRows } from './put-rows.ts';
import { canonical, keyOf, type RowKey } from './row.ts';
import { sideBySide } from './side-by-side.ts';
import { BATCH, batches, countRows } from './walk.ts';

export interface CopyProgress {
  /** `checking` compares the rows that the target already has; `verifying` reads both sides again. */
  readonly step: 'checking' | 'copying' | 'verifying';
  readonly rows: number;
  readonly total: number;
}

export interface TableCopy {
  readonly table: string;
  readonly copied: number;
  readonly source: TableTally;
  readonly target: TableTally;
}

export interface CopyReport {
  readonly tables: readonly TableCopy[];
  /** 0 when the copy is complete and correct. */
  readonly problems: number;
  /** The first {@link SHOWN} problems. */
  readonly examples: readonly RowProblem[];
}

/** Maximum number of examples: a completely different target mustn't fill the memory. */
const SHOWN = 100;

/**
 * Copies every row of a library to another database, SQLite or PostgreSQL, which is migrated first, and then compares
 * the two databases. Until the copy has finished, writes to the source wait, and fail after their timeout.
 *
 * The process may be killed at any time: the next run compares what was copied, and continues. Nothing else may write
 * to the target, because rows that the source lacks are reported as problems.
 *
 * @throws UnusableDatabase when the source isn't a library, or has events without their deliveries, when either is
 *   newer or stays busy with writes, or when the target differs or rejects a row
 * @throws Refusal `unavailable` when either becomes unreachable
 */
export async function copyDatabase(
  from: Database,
  to: Database,
  onProgress: (progress: CopyProgress) => void = () => undefined,
): Promise<CopyReport> {
  const [source, target] = [from.rows, to.rows];
  if (source.place === target.place) throw new UnusableDatabase(`${source.place} cannot be copied to itself`);
  if (!(await hasLibrary(source.reads))) throw new UnusableDatabase(`There is no library in ${source.place}`);
  let handed: Fence | null = null;
  const report = await withoutWrites(from, async (transaction) => {
    await requireFannedOut(source);
    await to.migrate();
    const starts = await checkTarget(source, target, onProgress);
    const copied = await copyTables(source, target, starts, onProgress);
    const report = await verify(source, target, copied, onProgress);
    if (report.problems === 0) handed = await markMoved(transaction, target.place);
    return report;
  });
  if (handed !== null) await handOver(handed, to);
  return report;
}

/** Migrates the database, and then runs the work while no process can write to it. */
async function withoutWrites<T>({ migrate, rows }: Database, work: (transaction: Queries) => Promise<T>): Promise<T> {
  let isHeld = false;
  try {
    await migrate();
    return await rows.withoutWrites((transaction) => {
      isHeld = true;
      return work(transaction);
    });
  } catch (cause) {
    if (isHeld || !rows.isBusy(cause)) throw cause;
    throw new UnusableDatabase(`${rows.place} is being written to: stop everything that uses it`, { cause });
  }
}

/** Checks that all events have their deliveries, because events themselves are not copied. @throws UnusableDatabase */
async function requireFannedOut({ reads, place }: RowAccess): Promise<void> {
  const webhooks = reads.selectFrom('webhooks').select('id').where('removed_at', 'is', null);
  if ((await webhooks.limit(1).executeTakeFirst()) === undefined) return;
  const fannedOut = await reads.selectFrom('fan_out').select('position').executeTakeFirst();
  const events = reads.selectFrom('events').select('id').where('type', '!=', 'mark');
  const later = events.where((eb) =>
    eb.or([eb('position', 'is', null), eb('position', '>', fannedOut?.position ?? 0)]),
  );
  if ((await later.limit(1).executeTakeFirst()) === undefined) return;
  throw new UnusableDatabase(
    `Webhooks still have to be notified of changes in ${place}: start the service there briefly, then stop it again`,
  );
}

/**
 * Gives the source's fence to the target, after the source has become read-only. If the process is killed between these
 * two steps, neither database takes writes until the next run. Does nothing if an earlier run has already given the
 * fence to the target, because the target may have changed it since.
 */
async function handOver({ current, previous, movedTo }: Fence, { fence, rows }: Database): Promise<void> {
  const isRepeated = movedTo === rows.place && (await fence.find()).current !== null;
  if (!isRepeated) await fence.set({ current, previous, movedTo: null });
}

type OnProgress = (progress: CopyProgress) => void;

type Starts = ReadonlyMap<string, RowKey | null>;

async function checkTarget(source: RowAccess, target: RowAccess, onProgress: OnProgress): Promise<Starts> {
  const step = counter('checking', await countAll(target), onProgress);
  const starts = new Map<string, RowKey | null>();
  for (const table of COPIED_TABLES) starts.set(table.name, await findStart(source, target, table, step.one));
  step.end();
  return starts;
}

async function copyTables(
  source: RowAccess,
  target: RowAccess,
  starts: Starts,
  onProgress: OnProgress,
): Promise<ReadonlyMap<string, number>> {
  const missing = (await countAll(source)) - (await countAll(target));
  const step = counter('copying', missing, onProgress);
  const copied = new Map<string, number>();
  for (const table of COPIED_TABLES) {
    let rows = 0;
    for await (const batch of batches(source.reads, table, starts.get(table.name))) {
      const put = await putRows(source.reads, target, table, batch);
      rows += put;
      step.some(put);
    }
    copied.set(table.name, rows);
  }
  step.end();
  return copied;
}

async function verify(
  source: RowAccess,
  target: RowAccess,
  copied: ReadonlyMap<string, number>,
  onProgress: OnProgress,
): Promise<CopyReport> {
  const step = counter('verifying', await countAll(source), onProgress);
  const examples: RowProblem[] = [];
  let problems = 0;
  const onProblem = (problem: RowProblem): void => {
    problems += 1;
    if (examples.length < SHOWN) examples.push(problem);
  };
  const tables: TableCopy[] = [];
  for (const table of COPIED_TABLES) {
    const tallies = await compareTables(source, target, table, onProblem, step.one);
    tables.push({ table: table.name, copied: copied.get(table.name) ?? 0, ...tallies });
  }
  step.end();
  return { tables, problems, examples };
}

async function countAll({ reads }: RowAccess): Promise<number> {
  let rows = 0;
  for (const table of COPIED_TABLES) rows += await countRows(reads, table);
  return rows;
}

function counter(step: CopyProgress['step'], total: number, onProgress: OnProgress) {
  let [rows, reported] = [0, 0];
  const report = (): void => {
    reported = rows;
    onProgress({ step, rows, total });
  };
  const some = (more: number): void => {
    rows += more;
    if (rows - reported >= BATCH) report();
  };
  return { some, one: () => some(1), end: report };
}

async function hasLibrary(queries: Queries): Promise<boolean> {
  const tables = await queries.introspection.getTables();
  return tables.some((table) => table.name === 'workspaces') && tables.some((table) => table.name === 'media');
}

/**
 * Finds where copying a table continues. Returns the key of the row after which the target lacks its first row; null if
 * the target lacks even the table's first row.
 *
 * @throws UnusableDatabase when the target has a row that the source lacks or that differs
 */
async function findStart(
  source: RowAccess,
  target: RowAccess,
  table: CopiedTable,
  onRow: () => void,
): Promise<RowKey | null> {
  let start: RowKey | null = null;
  let isWhole = true;
  for await (const pair of sideBySide(source.reads, target.reads, table, 'of the target')) {
    if (pair.target === undefined) {
      isWhole = false;
      continue;
    }
    const key = keyOf(table, pair.target);
    const refuse = (what: string) =>
      new UnusableDatabase(
        `${target.place} ${what} (${table.name} ${key.join(', ')}): copy to an empty database, or continue a copy whose source has not changed since it was started.`,
      );
    if (pair.source === undefined) throw refuse(`has a row that ${source.place} lacks`);
    if (canonical(pair.source) !== canonical(pair.target)) throw refuse(`has a row that differs from ${source.place}`);
    if (isWhole) start = key;
    onRow();
  }
  return start;
}
