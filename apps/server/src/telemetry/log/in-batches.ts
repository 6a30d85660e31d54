/** Characters that are held back at most: container logs take a write of 16 KB as one. */
const MAX_BATCH = 16 * 1024;

/**
 * Writes the lines of one turn of the event loop together, as a write for each costs as much as a small request. They
 * are written before the process waits for anything, and when it exits; kill -9 may lose the lines of a turn.
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
