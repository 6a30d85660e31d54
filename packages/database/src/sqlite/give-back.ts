import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { translateErrors } from './errors.ts';

/** Pages that one transaction frees: some milliseconds. */
const PAGES = 64;

/** Free pages that stay in the file for what is written next: 4 MB. */
const KEPT_PAGES = 1024;

/** Bytes that the log may keep. */
const KEPT_LOG = 8 * 1024 * 1024;

/** Milliseconds between two such transactions, for others to write. */
const PAUSE = 20;

/** The value of `pragma auto_vacuum` that allows freeing pages (sqlite.org/pragma.html#pragma_auto_vacuum). */
const INCREMENTAL = 2;

/**
 * Gives pages that deletions have freed back to the disk, a few at a time. A database made by an early version can't
 * (docs/operating/upgrades.md): it keeps them for later writes.
 *
 * @param writer the connection that `transact` uses
 * @param transact runs work within a transaction
 * @param isLow whether the disk lacks room for what the log needs
 * @param emptyLog checkpoints the log and truncates it, unless a reader or a writer is in the way; then the next run
 *   does it
 * @returns how many bytes
 */
export async function giveBackPages(
  writer: Database,
  transact: (work: () => Promise<void>) => Promise<void>,
  isLow: () => boolean,
  emptyLog: () => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  const given = ask(writer, 'auto_vacuum') === INCREMENTAL ? await freePages(writer, transact, signal) : 0;
  // SQLite would leave the log at its longest.
  if (isLow() || isTooLong(writer) || sizeOf(`${writer.name}-wal`) > KEPT_LOG) await emptyLog();
  return given;
}

/** Frees pages at the end of the file; so far in the log only. Answers how many bytes. */
async function freePages(
  writer: Database,
  transact: (work: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  let given = 0;
  while (!signal.aborted) {
    const before = ask(writer, 'freelist_count');
    if (before <= KEPT_PAGES) break;
    const pages = Math.min(PAGES, before - KEPT_PAGES);
    await transact(async () => {
      translateErrors(() => writer.pragma(`incremental_vacuum(${pages})`));
    });
    given += pages;
    await delay(PAUSE);
  }
  return given * ask(writer, 'page_size');
}

/** Whether the file still has pages that were freed in the log. */
function isTooLong(writer: Database): boolean {
  return sizeOf(writer.name) > ask(writer, 'page_count') * ask(writer, 'page_size');
}

const ask = (writer: Database, pragma: string): number =>
  translateErrors(() => Number(writer.pragma(pragma, { simple: true })));

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
