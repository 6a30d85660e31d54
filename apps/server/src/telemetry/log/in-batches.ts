/** Most characters that are held back: container logs accept 16 KB in one write. */
const MAX_BATCH = 16 * 1024;

/**
 * Writes the lines of one turn of the event loop together, as each write takes as long as a small request; kill -9 may
 * lose them.
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
