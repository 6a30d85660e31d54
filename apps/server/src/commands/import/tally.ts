import { onOneLine } from '../print.ts';
export interface Refused {
  readonly path: string;
  readonly reason: string;
}

/** Maximum number of refused files that are printed. The report lists all of them. */
const SHOWN = 100;

/** Counts the results of importing the files of a source. */
export class Tally {
  imported = 0;
  /** Total size of the imported files. */
  bytes = 0;
  duplicates = 0;
  /** Number of files that earlier runs imported. */
  earlier = 0;
  skipped = 0;
  refused = 0;
  readonly examples: Refused[] = [];

  refuse(path: string, reason: string): void {
    this.refused += 1;
    if (this.examples.length < SHOWN) this.examples.push({ path, reason });
  }

  get figures() {
    const { imported, bytes, duplicates, earlier, skipped, refused, examples } = this;
    return { imported, bytes, duplicates, earlier, skipped, refused, examples };
  }

  /** Lines to print about the refused files. Characters of paths that could control a terminal are replaced. */
  get refusedLines(): readonly string[] {
    if (this.refused === 0) return [];
    const shown = this.examples.map(({ path, reason }) => `  ${onOneLine(path)}  ${reason}`);
    const more = this.refused - this.examples.length;
    return [`Refused ${this.refused}:`, ...shown, ...(more > 0 ? [`  and ${more} more`] : [])];
  }
}
