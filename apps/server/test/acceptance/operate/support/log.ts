import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

/** One line of the log. */
export type Line = Readonly<Record<string, unknown>>;

/** The lines of the JSON log so far. */
export const linesOf = (world: World): Line[] =>
  world.server
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => ({ ...Object(JSON.parse(line)) }));

/** Waits for a line with these fields. The line of a request may be written shortly after the answer. */
export async function lineWith(world: World, wanted: Line, deadline?: number): Promise<Line> {
  const fits = (line: Line): boolean => Object.entries(wanted).every(([key, value]) => line[key] === value);
  let found: Line | undefined;
  const isThere = (): boolean => {
    found = linesOf(world).find(fits);
    return found !== undefined;
  };
  await until(`the log has a line with ${JSON.stringify(wanted)}`, isThere, deadline);
  return found ?? {};
}
