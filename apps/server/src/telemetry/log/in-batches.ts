/** Characters that are kept back at most: a write of 16 KB is one that a container's log takes whole. */
const MAX_BATCH = 16 * 1024;

/**
 * Lines that are written together: all of one turn of the event loop, as a write for each costs as much as a small
 * request. They are written before the process waits for anything, and when it exits; kill -9 may lose a turn's lines.
 */
export function inBatches(write: (lines: string) => void): { write(line: string): void } {
  let batch = '';
  const flush = (): void => {
    if (batch === '') return;
    const lines = batch;
    batch = '';
    write(lines);
  };
  let isExiting = false;
  process.once('exit', () => {
    isExiting = true;
    flush();
  });
  return {
    write(line) {
      if (batch === '') setImmediate(flush);
      batch += line;
      if (isExiting || batch.length >= MAX_BATCH) flush();
    },
  };
}
