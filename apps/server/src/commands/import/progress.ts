import { inMegabytes } from '@postshelf/domain';
import { startMeter } from '../meter.ts';
import { count } from '../progress.ts';

/**
 * Bytes that the progress adds to the size of each file. They account for the fixed time that a file takes, so that the
 * estimate of the remaining time is also right for many small files.
 */
const FILE = 256 * 1024;

/** A number of files, and their total size in bytes. */
export interface Amount {
  files: number;
  bytes: number;
}

/** Shows the progress of an import: a bar in a terminal, otherwise a line every few seconds. */
export class ImportProgress {
  readonly #meter = startMeter({ isTimed: true });
  readonly #done: Amount = { files: 0, bytes: 0 };
  #all: Amount | null = null;

  /** Shows the number of files found so far, while the total isn't known. */
  showFound({ files, bytes }: Amount): void {
    const text = `${count(files, 'file')}, ${inMegabytes(bytes)} so far`;
    this.#meter.show({ step: 'counting', done: 0, total: null, text });
  }

  begin(all: Amount): void {
    this.#all = all;
    this.#show();
  }

  /** Starts the progress of one file. @returns functions that record the bytes sent so far, and the end of the file */
  file(size: number): { sent(bytes: number): void; end(): void } {
    let sentBefore = 0;
    const sent = (bytes: number): void => {
      const now = Math.min(bytes, size);
      this.#done.bytes += now - sentBefore;
      sentBefore = now;
      this.#show();
    };
    return {
      sent,
      end: () => {
        this.#done.files += 1;
        sent(size);
      },
    };
  }

  /** Prints a line above the progress. */
  note(line: string): void {
    this.#meter.note(line);
  }

  end(): void {
    this.#meter.end();
  }

  #show(): void {
    if (this.#all === null) return;
    const [done, all] = [this.#done, this.#all];
    const text = `${count(done.files)} of ${count(all.files, 'file')}, ${inMegabytes(done.bytes)} of ${inMegabytes(all.bytes)}`;
    this.#meter.show({ step: 'importing', done: workIn(done), total: workIn(all), text });
  }
}

const workIn = ({ files, bytes }: Amount): number => files * FILE + bytes;
