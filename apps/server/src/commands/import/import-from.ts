import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { forEachConcurrently } from '@postshelf/application';
import {
  inMegabytes,
  invalid,
  Refusal,
  reasonToLeaveOut,
  type Source,
  type SourceEntry,
  Unreadable,
} from '@postshelf/domain';
import { composeRecogniser, openSource } from '../../compose/source.ts';
import { readServiceAccess } from '../../config/service-access.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../print.ts';
import { count } from '../progress.ts';
import { CommandError } from '../run.ts';
import { Folders } from './folders.ts';
import { Importer } from './importer.ts';
import { Library } from './library.ts';
import type { ImportOptions } from './options.ts';
import { Patience, SOURCE_UNAVAILABLE, Stopped } from './patience.ts';
import { type Amount, ImportProgress } from './progress.ts';
import { type Found, Report } from './report.ts';
import { FileTaker, refuseSize } from './take-file.ts';
import { Tally } from './tally.ts';

/**
 * `postshelf import`: imports the files of a source through a running service. The process ends with 1 if any file was
 * refused.
 *
 * @throws CommandError if the import can't start, or has to stop before all files were tried
 */
export async function importFrom(address: string, options: ImportOptions): Promise<void> {
  const source = await openSource(address);
  const progress = new ImportProgress();
  const patience = new Patience(noting(progress));
  try {
    await (options.dryRun ? rehearse : takeIn)(source, options, { progress, patience });
  } finally {
    progress.end();
    source.close();
  }
}

interface Tools {
  readonly progress: ImportProgress;
  readonly patience: Patience;
}

async function takeIn(source: Source, options: ImportOptions, { progress, patience }: Tools): Promise<void> {
  const scopes = ['media:read', 'media:write', ...(options.folders ? ['folders:read', 'folders:write'] : [])];
  const library = await Library.open(readServiceAccess(), options.workspace, scopes, patience);
  const file = await reportFile(source, options);
  const spool = `${file}.parts`;
  await rm(spool, { recursive: true, force: true });
  const report = await Report.open(file, library.workspace);
  const taker = new FileTaker(source, composeRecogniser(), spool);
  const folders = options.folders ? new Folders(library) : null;
  const tally = new Tally();
  const importer = new Importer({ library, folders, report, taker, progress, tally });
  let stopped: Stopped | null = null;
  try {
    const { left, settled } = await countFiles(source, options, { progress, patience }, (found) =>
      report.isSettled(found),
    );
    tally.earlier = settled;
    progress.begin(left);
    await forEachConcurrently(entriesOf(source, options.exclude), options.concurrency, (entry) =>
      importer.bring(entry),
    );
  } catch (error) {
    stopped = asStopped(error);
    if (stopped === null) throw error;
  } finally {
    await report.end();
    await rm(spool, { recursive: true, force: true });
  }
  progress.end();
  const figures = { workspace: library.workspace, source: source.place, report: file, ...tally.figures };
  if (stopped !== null) throw unfinished(stopped, tally, figures);
  print(options.json, figures, [
    `Imported ${count(tally.imported, 'file')} (${inMegabytes(tally.bytes)}) from ${source.place}.`,
    ...(tally.duplicates > 0 ? [`The library already had ${count(tally.duplicates)} of the files.`] : []),
    ...otherLines(tally),
    `${file} says what became of each.`,
  ]);
  if (tally.refused > 0) process.exitCode = EXIT.failed;
}

/**
 * Returns why an import has to stop, if the error says that it does; null for any other error, such as one due to a bug
 * or an invalid command.
 */
function asStopped(error: unknown): Stopped | null {
  if (error instanceof Refusal && error.problem.code === 'unavailable') return new Stopped(SOURCE_UNAVAILABLE);
  return error instanceof Stopped ? error : null;
}

/** Returns the error for an import that had to stop. It says how much was imported, and that the next run continues. */
function unfinished({ message }: Stopped, tally: Tally, figures: { readonly report: string }): CommandError {
  const done = tally.imported + tally.duplicates + tally.earlier;
  const end = `${count(done, 'file')} are in the library; repeat the command to go on (${figures.report}).`;
  return new CommandError(`${message} ${end}`, figures);
}

/** `--dry-run`: reports what would be imported. Reads only the source, without asking the service. */
async function rehearse(source: Source, options: ImportOptions, { progress, patience }: Tools): Promise<void> {
  const taker = new FileTaker(source, composeRecogniser(), '');
  const isSettled = await Report.settledIn(await reportFile(source, options));
  const tally = new Tally();
  const refusal = async ({ path, size }: Found): Promise<string | null> =>
    refuseSize(size) ??
    (await patience
      .through(() => taker.refuse(path))
      .catch((error: unknown) => {
        if (error instanceof Unreadable) return error.message;
        throw error;
      }));
  await forEachConcurrently(entriesOf(source, options.exclude), options.concurrency, async (entry) => {
    if (entry.kind !== 'file') {
      if (entry.kind === 'refused') tally.refuse(entry.path, entry.reason);
      else tally.skipped += 1;
    } else if (isSettled(entry)) tally.earlier += 1;
    else {
      const reason = await refusal(entry);
      if (reason !== null) return tally.refuse(entry.path, reason);
      tally.imported += 1;
      tally.bytes += entry.size;
      progress.showFound({ files: tally.imported, bytes: tally.bytes });
    }
  });
  progress.end();
  const { imported: would_import, duplicates: _, ...figures } = tally.figures;
  print(options.json, { source: source.place, would_import, ...figures }, [
    `Would import ${count(tally.imported, 'file')} (${inMegabytes(tally.bytes)}) from ${source.place}.`,
    ...otherLines(tally),
    'Nothing was sent. Damaged files and duplicates are recognized only when files are sent.',
  ]);
  if (tally.refused > 0) process.exitCode = EXIT.failed;
}

const otherLines = ({ earlier, skipped, refusedLines }: Tally): readonly string[] => [
  ...(earlier > 0 ? [`Imported by earlier runs: ${count(earlier)}.`] : []),
  ...(skipped > 0 ? [`Skipped (hidden, system and excluded files, and links): ${count(skipped)}.`] : []),
  ...refusedLines,
];

/**
 * Counts the files of the source.
 *
 * @returns the amount that is left to import, and the number of files that earlier runs imported
 * @throws CommandError for an empty source
 */
async function countFiles(
  source: Source,
  { exclude }: ImportOptions,
  { progress, patience }: Tools,
  isSettled: (found: Found) => boolean,
): Promise<{ readonly left: Amount; readonly settled: number }> {
  return patience.through(async () => {
    const left = { files: 0, bytes: 0 };
    let settled = 0;
    let others = 0;
    for await (const entry of entriesOf(source, exclude)) {
      if (entry.kind !== 'file') others += 1;
      else if (isSettled(entry)) settled += 1;
      else {
        left.files += 1;
        left.bytes += entry.size;
        progress.showFound(left);
      }
    }
    if (left.files + settled + others === 0) throw new CommandError(`There are no files in ${source.place}`);
    return { left, settled };
  });
}

/**
 * Lists the files and folders of a source.
 *
 * @param globs patterns of entries to leave out: a pattern without a slash matches names, any other pattern matches
 * paths
 */
function entriesOf(source: Source, globs: readonly string[]): AsyncIterable<SourceEntry> {
  const patterns = globs.map((glob) => ({ glob: new Bun.Glob(glob), isOfPath: glob.includes('/') }));
  return source.entries((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const isExcluded = patterns.some(({ glob, isOfPath }) => glob.match(isOfPath ? path : name));
    return isExcluded ? 'It is excluded.' : reasonToLeaveOut(name);
  });
}

/** Minimum number of milliseconds between two lines that say why the import is waiting. */
const NOTE_INTERVAL = 30_000;

function noting(progress: ImportProgress): (reason: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (reason) => {
    if (performance.now() - last < NOTE_INTERVAL) return;
    last = performance.now();
    progress.note(`waiting: ${reason}`);
  };
}

/**
 * Returns the path of the report.
 *
 * @throws Refusal `invalid` for a path inside the source, because the source is only read
 */
async function reportFile(source: Source, { report }: ImportOptions): Promise<string> {
  const file = resolve(report ?? defaultName(source.place));
  const folder = await realpath(dirname(file));
  if (!source.place.startsWith('s3://') && `${folder}/`.startsWith(`${source.place}/`)) {
    throw invalid(
      'report',
      `The report must not be in ${source.place}, because the source is only read: name another file with --report.`,
    );
  }
  return join(folder, basename(file));
}

/** Returns the default name of the report. It is the same for every import from this source. */
function defaultName(place: string): string {
  const name = basename(place).replace(/[^\w.-]+/g, '-') || 'files';
  return `postshelf-import-${name}-${createHash('sha256').update(place).digest('hex').slice(0, 8)}.csv`;
}
