import type { Progress } from '@postshelf/application';

/** Milliseconds between two lines. */
const INTERVAL = 5_000;

/** Says on standard error how far a long command has come, now and then. */
export function showProgress(): (progress: Progress) => void {
  let last = performance.now();
  return ({ objects, bytes }) => {
    if (performance.now() - last < INTERVAL) return;
    last = performance.now();
    process.stderr.write(`${count(objects)} objects, ${megabytes(bytes)} so far\n`);
  };
}

export const count = (number: number): string => number.toLocaleString('en-US');

export const megabytes = (bytes: number): string =>
  `${(bytes / 1e6).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`;
