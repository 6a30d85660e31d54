import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { translateErrors } from './errors.ts';

/** Pages that one transaction gives back: some milliseconds. */
const PAGES = 64;

/** Free pages that stay in the file for what is written next: 4 MB. */
const KEPT_PAGES = 1024;

/** Milliseconds between two such transactions, for others to write. */
const PAUSE = 20;

/** What `pragma auto_vacuum` says where free pages can be given back (sqlite.org/pragma.html#pragma_auto_vacuum). */
const INCREMENTAL = 2;

/**
 * Gives pages that deletions have left free back to the disk, a few at a time. A database that an earlier
 * program made can't (docs/deploy.md, "Freed space"): it keeps them for what is written next.
 *
 * @param writer the connection on which `transact` has its transactions
 * @param transact runs work within one
 * @returns how many bytes
 */
export async function giveBackPages(
  writer: Database,
  transact: (work: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  const ask = (pragma: string): number => translateErrors(() => Number(writer.pragma(pragma, { simple: true })));
  if (ask('auto_vacuum') !== INCREMENTAL) return 0;
  const size = ask('page_size');
  let given = 0;
  while (!signal.aborted) {
    const before = ask('freelist_count');
    if (before <= KEPT_PAGES) break;
    const pages = Math.min(PAGES, before - KEPT_PAGES);
    await transact(async () => {
      translateErrors(() => writer.pragma(`incremental_vacuum(${pages})`));
    });
    given += pages;
    await delay(PAUSE);
  }
  return given * size;
}
