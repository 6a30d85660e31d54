import { expect, test } from 'bun:test';
import { expectErrorShape, expectInvalid, type FailingFields, type Reply } from './reply.ts';
import type { CallOptions, World } from './world.ts';

/** One row: a request, the answer it must get, and what must then be true. `{key}` stands for `world.ids.key`. */
export interface Row extends CallOptions {
  readonly name: string;
  /** `METHOD /path`. */
  readonly send: string;
  /** Runs first; may put ids into the world for the rest of the row. */
  readonly before?: (world: World) => void | Promise<void>;
  /** Several where the specification leaves the choice open. */
  readonly status: number | readonly number[];
  /** The exact body; asymmetric matchers may stand in it. */
  readonly expect?: unknown;
  /** The exact body is `{message}` with this. */
  readonly message?: string | RegExp;
  /** The exact failing fields of a 422. */
  readonly invalid?: FailingFields;
  readonly replyHeaders?: Readonly<Record<string, string | RegExp>>;
  readonly after?: (reply: Reply, world: World) => void | Promise<void>;
}

/** A {@link Row} in one line: its JSON, where it has any, and behind the status the exact body or, of a 422, the fields. */
export function row(name: string, send: string, json: unknown, status: number, wanted?: unknown): Row {
  const short = { name, send, status, ...(json === undefined ? {} : { json }) };
  if (wanted === undefined) return short;
  return status === 422 ? { ...short, invalid: wanted as FailingFields } : { ...short, expect: wanted };
}

/** Makes one test of every row. Every error of every row is also held to the one shape of errors. */
export function table(world: () => World, rows: readonly Row[]): void {
  for (const row of rows) test(row.name, () => check(world(), row));
}

async function check(world: World, row: Row): Promise<void> {
  await row.before?.(world);
  const reply = await world.call(row.send, row);
  const allowed = typeof row.status === 'number' ? [row.status] : row.status;
  if (!allowed.includes(reply.status)) {
    // The body says why, which a bare comparison of two numbers wouldn't.
    expect({ status: reply.status, body: reply.text.slice(0, 1000) }).toEqual({ status: allowed[0] ?? 0, body: '' });
  }
  if (row.invalid !== undefined) expectInvalid(reply, row.invalid);
  else if (reply.status >= 400 && !row.send.startsWith('HEAD')) expectErrorShape(reply);
  if (row.expect !== undefined) expect(reply.json).toEqual(world.fill(row.expect));
  if (typeof row.message === 'string') expect(reply.json).toEqual({ message: row.message });
  if (row.message instanceof RegExp) expect(reply.json).toEqual({ message: expect.stringMatching(row.message) });
  for (const [name, wanted] of Object.entries(row.replyHeaders ?? {})) {
    const value = reply.headers.get(name) ?? '';
    if (typeof wanted === 'string') expect(value).toBe(world.fill(wanted));
    else expect(value).toMatch(wanted);
  }
  await row.after?.(reply, world);
}

/** The words of a text, for tables of what has no blanks in it. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
