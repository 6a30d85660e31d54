import { type Composition, composeExisting } from '../compose.ts';
import { type Config, readConfig } from '../config.ts';

/**
 * Runs a command over the composed program and closes it, whatever happens.
 *
 * @param compose by default over a library that is there, and nothing is made
 */
export async function withComposition<T>(
  use: (composition: Composition) => Promise<T>,
  compose: (config: Config) => Promise<Composition> = composeExisting,
): Promise<T> {
  const composition = await compose(readConfig());
  try {
    return await use(composition);
  } finally {
    await composition.close();
  }
}

/** Standard output of a command: with `--json` one object and nothing else, otherwise lines for people. */
export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : lines.map((line) => `${line}\n`).join(''));
}

/** How one of many things is printed. */
interface Printing<T> {
  /** Of the list in the JSON object. */
  readonly name: string;
  show(item: T): unknown;
  line(item: T): string;
  /** The last line for people, once all were printed. */
  last?(): string;
}

/** As {@link print}, of things that come one after another and may be too many for memory. */
export async function printEach<T>(
  json: boolean | undefined,
  items: AsyncIterable<T>,
  { name, show, line, last }: Printing<T>,
): Promise<void> {
  if (json) await write(`{${JSON.stringify(name)}:[`);
  let comma = '';
  for await (const item of items) {
    await write(json ? `${comma}${JSON.stringify(show(item))}` : `${line(item)}\n`);
    comma = ',';
  }
  if (json) await write(']}\n');
  else if (last) await write(`${last()}\n`);
}

/** Waits for whoever reads, so that nothing piles up. */
const write = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** For options that may be given several times. */
export const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** An instant for people and programs: RFC 3339, UTC. */
export const showTime = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
