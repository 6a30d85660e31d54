import type { Progress } from '@postshelf/application';
import { inMegabytes } from '@postshelf/domain';

const INTERVAL = 5_000;

/** Returns a function that writes a line, at most every five seconds. */
export function reportPeriodically(stream: NodeJS.WriteStream = process.stderr): (line: () => string) => void {
  let last = performance.now();
  return (line) => {
    if (performance.now() - last < INTERVAL) return;
    last = performance.now();
    stream.write(`${line()}\n`);
  };
}

export function showProgress(): (progress: Progress) => void {
  const report = reportPeriodically();
  return ({ objects, bytes }) => report(() => `${count(objects)} objects, ${inMegabytes(bytes)} so far`);
}

/** Formats a number with a noun. @param noun the noun in the singular */
export const count = (number: number, noun?: string): string =>
  number.toLocaleString('en-US') + (noun === undefined ? '' : ` ${noun}${number === 1 ? '' : 's'}`);
