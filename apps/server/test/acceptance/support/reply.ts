import { expect } from 'bun:test';

/** A complete HTTP answer. Its body is available as bytes and text, and also as a value if it is JSON. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The value of the body, which is `undefined` if the body isn't JSON. */
  readonly json: unknown;
}

export function makeReply(status: number, headers: Headers, bytes: Uint8Array): Reply {
  const text = new TextDecoder().decode(bytes);
  return { status, headers, bytes, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of keys inside a JSON value. It is `undefined` if there is none. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

/** Like {@link at}, but throws if the value isn't a string. */
export function stringAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  if (typeof found !== 'string') throw new Error(`No string at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
}

/** Like {@link at}, but throws if the value isn't an array. */
export function arrayAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  if (!Array.isArray(found)) throw new Error(`No array at ${path.join('.')} of ${JSON.stringify(value)}`);
  return found;
}

/** The sorted keys of an object. There are none for any other value. */
export function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value).sort() : [];
}

/** "Error bodies are exactly `{message}` or `{message, errors}`: no other keys, no stack, no class names, never an HTML page". */
export function expectErrorShape(reply: Reply): void {
  expect(reply.headers.get('content-type') ?? '').toMatch(/^application\/json/);
  expect(keysOf(reply.json)).toEqual(reply.status === 422 ? ['errors', 'message'] : ['message']);
  expect(stringAt(reply.json, 'message').length).toBeGreaterThan(0);
  expect(reply.text).not.toMatch(/<!doctype|<html|\bat (\S+ \()?\S+:\d+:\d+|node_modules|[A-Z][a-z]+Error\b/i);
}

/**
 * The expected error of each failing field: its only sentence, a pattern for this sentence, or `true` for any wording.
 */
export type FailingFields = Readonly<Record<string, string | RegExp | true>>;

/**
 * "`errors` maps each failing field to an array of sentences; all failing fields are reported at once; `message` is the
 * first sentence plus ` (and N more error(s))` when there are more".
 */
export function expectInvalid(reply: Reply, fields: FailingFields): void {
  expect({ status: reply.status, fields: keysOf(at(reply.json, 'errors')), body: reply.text }).toEqual({
    status: 422,
    fields: Object.keys(fields).sort(),
    body: reply.text,
  });
  expectErrorShape(reply);
  const sentences: string[] = [];
  for (const field of Object.keys(Object(at(reply.json, 'errors')))) {
    const own = arrayAt(reply.json, 'errors', field);
    expect(own.length).toBeGreaterThan(0);
    for (const sentence of own) {
      expect(sentence).toBeString();
      sentences.push(String(sentence));
    }
    const wanted = fields[field];
    if (typeof wanted === 'string') expect(own).toEqual([wanted]);
    else if (wanted instanceof RegExp) expect(own.join(' ')).toMatch(wanted);
  }
  const more = sentences.length - 1;
  const suffix = more === 0 ? '' : ` (and ${more} more ${more === 1 ? 'error' : 'errors'})`;
  expect(stringAt(reply.json, 'message')).toBe(`${sentences[0]}${suffix}`);
}
