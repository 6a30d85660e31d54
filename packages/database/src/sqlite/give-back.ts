import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { translateErrors } from './errors.ts';

/** Pages that one transaction gives back: some milliseconds. */
const PAGES = 64;

/** Free pages that stay in the file for what is written next: 4 MB. */
const KEPT_PAGES = 1024;

/** Bytes that the log may keep. */
const KEPT_LOG = 8 * 1024 * 1024;

/** Milliseconds between two such transactions, for others to write. */
const PAUSE = 20;

/** What `pragma auto_vacuum` says where free pages can be given back (sqlite.org/pragma.html#pragma_auto_vacuum). */
const INCREMENTAL = 2;

/**
 * Gives pages that deletions have left free back to the disk, a few at a time. A database that an earlier
 * program made can't (docs/operating/upgrades.md): it keeps them for what is written next.
 *
 * @param writer the connection on which `transact` has its transactions
 * @param transact runs work within one
 * @param isLow whether the disk has no room for what the log of the database asks for
 * @param emptyLog takes the log into the file, which is cut then, where no reader and no writer is in the way: else the next
 * time does it
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
  // SQLite would leave the log as long as it ever was.
  if (isLow() || isTooLong(writer) || sizeOf(`${writer.name}-wal`) > KEPT_LOG) await emptyLog();
  return given;
}

/** Frees pages at the end of the file, as the log has it. Gives how many bytes. */
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

/** Whether the file still has pages that the log has cut off. */
function isTooLong(writer: Database): boolean {
  return sizeOf(writer.name) > ask(writer, 'page_count') * ask(writer, 'page_size');
}

const ask = (writer: Database, pragma: string): number =>
  translateErrors(() => Number(writer.pragma(pragma, { simple: true })));

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
