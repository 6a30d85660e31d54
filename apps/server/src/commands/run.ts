import { type Composition, compose } from '../compose.ts';
import { readConfig } from '../config.ts';

/** Runs a command over the composed program and closes it, whatever happens. */
export async function withComposition<T>(use: (composition: Composition) => Promise<T>): Promise<T> {
  const composition = await compose(readConfig());
  try {
    return await use(composition);
  } finally {
    await composition.close();
  }
}

/**
 * Standard output of a command: with `--json` one object and nothing else, otherwise lines for people.
 *
 * @param to where it goes instead, for a command whose standard output is something else
 */
export function print(
  json: boolean | undefined,
  value: unknown,
  lines: readonly string[],
  to: NodeJS.WritableStream = process.stdout,
): void {
  to.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''));
}

/** For options that may be given several times. */
export const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** An instant for people and programs: RFC 3339, UTC. */
export const showTime = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
