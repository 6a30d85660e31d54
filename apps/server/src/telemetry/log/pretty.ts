import pino from 'pino';

interface Line {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
  readonly [detail: string]: unknown;
}

/** SGR parameters (ECMA-48, section 8.3.117). */
const COLOURS: Readonly<Record<string, number>> = { info: 32, warn: 33, error: 31, fatal: 31 };
const DIM = 2;

/** Maximum entries of a list that is shown completely. Of a longer list only the number of entries is shown. */
const LISTED = 3;

/**
 * Formats a line of pino's JSON for people: time, level and message, then the details, and the stack of an error below.
 */
export function prettyLine(json: string, hasColours: boolean): string {
  const { level, time, msg = '', err, ...details }: Line = JSON.parse(json);
  const paint = (code: number, text: string) => (hasColours && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text);
  const label = pino.levels.labels[level] ?? 'info';
  const clock = new Date(time).toTimeString().slice(0, 8);
  const words = [clock, paint(COLOURS[label] ?? DIM, label.toUpperCase().padEnd(5)), printable(msg)];
  const rest = paint(DIM, printable(describe(details)));
  const stack = (err?.stack ?? err?.message ?? '').split('\n').filter((line) => line !== '');
  return `${[...words, rest].join(' ').trimEnd()}\n${stack.map((line) => `    ${printable(line)}\n`).join('')}`;
}

/** Replaces control characters, which a terminal would obey. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\uFFFD');

/** Formats details as `name=value`, and the properties of a nested object as `object.name=value`. */
const describe = (details: object, prefix = ''): string =>
  Object.entries(details)
    .map(([key, value]) => {
      const name = prefix + key.replaceAll(' ', '_');
      if (Array.isArray(value)) return `${name}=${value.length > LISTED ? `${value.length} entries` : value.join(',')}`;
      if (typeof value === 'object' && value !== null) return describe(value, `${name}.`);
      return `${name}=${value}`;
    })
    .filter((text) => text !== '')
    .join(' ');
