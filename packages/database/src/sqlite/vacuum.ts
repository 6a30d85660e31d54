import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { translateErrors } from './connection/errors.ts';

const PAGES = 64;

/** Number of free pages (4 MB) to keep for later writes. */
const KEPT_PAGES = 1024;

const KEPT_LOG = 8 * 1024 * 1024;

/** Milliseconds during which other writers can get the lock. */
const PAUSE = 20;

/** The value of `auto_vacuum` for incremental vacuum (sqlite.org/pragma.html#pragma_auto_vacuum). */
const INCREMENTAL = 2;

/**
 * Releases the pages that deletions have left free, a few per transaction, so that the file becomes smaller. A database
 * that was created by an early version doesn't support incremental vacuum (docs/operating/upgrades.md), and keeps its
 * free pages.
 *
 * @param writer the connection that `transact` uses
 * @param isLow whether the disk is low on space
 * @param emptyLog truncates the log, unless a reader or a writer prevents it
 * @returns the bytes freed
 */
export async function incrementalVacuum(
  writer: Database,
  transact: (work: () => Promise<void>) => Promise<void>,
  isLow: () => Promise<boolean>,
  emptyLog: () => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  const given = ask(writer, 'auto_vacuum') === INCREMENTAL ? await freePages(writer, transact, signal) : 0;
  // SQLite reuses the log file without shrinking it, unless it is truncated.
  if ((await isLow()) || isTooLong(writer) || sizeOf(`${writer.name}-wal`) > KEPT_LOG) await emptyLog();
  return given;
}

/** Frees pages. The file itself gets shorter only with the next checkpoint. */
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

/**
 * Whether the file is longer than its number of pages implies, because no checkpoint has removed the freed pages yet.
 */
function isTooLong(writer: Database): boolean {
  return sizeOf(writer.name) > ask(writer, 'page_count') * ask(writer, 'page_size');
}

const ask = (writer: Database, pragma: string): number =>
  translateErrors(() => Number(writer.pragma(pragma, { simple: true })));

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
