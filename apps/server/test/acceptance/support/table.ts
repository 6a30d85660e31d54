import { expect, test } from 'bun:test';
import { expectErrorShape, expectInvalid, type FailingFields, type Reply } from './reply.ts';
import type { CallOptions, World } from './world.ts';

/** A test in a table: a request, the expected answer, and further checks. `world.ids.key` replaces `{key}`. */
export interface Row extends CallOptions {
  readonly name: string;
  /** The request as `METHOD /path`. */
  readonly send: string;
  /** This function runs first. It may set ids of the world for the rest of the row. */
  readonly before?: (world: World) => void | Promise<void>;
  /** The expected status, or several if the specification leaves the choice open. */
  readonly status: number | readonly number[];
  /** The exact body, which may contain asymmetric matchers. */
  readonly expect?: unknown;
  /** The message in a body that must be exactly `{message}`. */
  readonly message?: string | RegExp;
  /** The exact failing fields of a 422. */
  readonly invalid?: FailingFields;
  readonly replyHeaders?: Readonly<Record<string, string | RegExp>>;
  readonly after?: (reply: Reply, world: World) => void | Promise<void>;
}

/**
 * A {@link Row} in one line.
 *
 * @param json the request's body; undefined for none
 * @param wanted the failing fields of a 422, or the exact body of any other answer
 */
export function row(name: string, send: string, json: unknown, status: number, wanted?: unknown): Row {
  const short = { name, send, status, ...(json === undefined ? {} : { json }) };
  if (wanted === undefined) return short;
  return status === 422 ? { ...short, invalid: wanted as FailingFields } : { ...short, expect: wanted };
}

/** Makes a test of every row. Every error is also checked for the common shape of errors. */
export function table(world: () => World, rows: readonly Row[]): void {
  for (const row of rows) test(row.name, () => check(world(), row));
}

async function check(world: World, row: Row): Promise<void> {
  await row.before?.(world);
  const reply = await world.call(row.send, row);
  const allowed = typeof row.status === 'number' ? [row.status] : row.status;
  if (!allowed.includes(reply.status)) {
    // The comparison includes the body, so that a failure shows the reason.
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

/** Splits a text at its white space, for tables whose values contain none. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
