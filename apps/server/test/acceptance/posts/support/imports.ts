import { expect } from 'bun:test';
import { openRaw, type RawConnection } from '../../support/raw.ts';
import { arrayAt, at, keysOf, type Reply, stringAt } from '../../support/reply.ts';
import type { CallOptions, World } from '../../support/world.ts';
import { posts } from './posts.ts';

/** The `data` of the answer to an import of posts. */
export interface Imported {
  readonly lines: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
  readonly rejections: readonly Rejection[];
}

export interface Rejection {
  readonly line: number;
  readonly message: string;
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

export const sendImport = `POST ${posts}/import`;

export const ndjson = { 'content-type': 'application/x-ndjson' };

/**
 * A line with these fields, and a default `profile` and `published_at`. Replaces each `{key}` with `world.ids[key]`.
 */
export function line(world: World, fields: object): string {
  const whole = { profile: '{profile}', published_at: '2026-01-02T03:04:05Z', ...fields };
  return JSON.stringify(world.fill(whole));
}

/** Imports a body. @returns the answer, whatever its status */
export function importBody(world: World, body: string | Uint8Array, options: CallOptions = {}): Promise<Reply> {
  return world.call(sendImport, { body, ...options, headers: { ...ndjson, ...options.headers } });
}

/** Expects "200 `{data: {lines, created, updated, unchanged, rejected, rejections}, message}`", with consistent counts. */
export function imported(reply: Reply): Imported {
  expect({ status: reply.status, body: reply.text.slice(0, 1000) }).toMatchObject({ status: 200 });
  expect(keysOf(reply.json)).toEqual(['data', 'message']);
  expect(stringAt(reply.json, 'message').length).toBeGreaterThan(0);
  const data = at(reply.json, 'data');
  expect(keysOf(data)).toEqual(['created', 'lines', 'rejected', 'rejections', 'unchanged', 'updated']);
  const [lines, created, updated, unchanged, rejected] = ['lines', 'created', 'updated', 'unchanged', 'rejected'].map(
    (key) => Number(at(data, key)),
  ) as [number, number, number, number, number];
  expect(created + updated + unchanged + rejected).toBe(lines);
  const rejections = arrayAt(data, 'rejections').map(rejection);
  expect(rejections).toHaveLength(Math.min(rejected, 100));
  expect(rejections.map((one) => one.line)).toEqual(rejections.map((one) => one.line).toSorted((a, b) => a - b));
  return { lines, created, updated, unchanged, rejected, rejections };
}

function rejection(value: unknown): Rejection {
  expect(keysOf(value)).toEqual(['errors', 'line', 'message']);
  expect(at(value, 'line')).toBeInteger();
  const errors: Record<string, string[]> = {};
  for (const field of Object.keys(Object(at(value, 'errors'))))
    errors[field] = arrayAt(value, 'errors', field).map(String);
  const sentences = Object.values(errors).flat();
  expect(sentences.length).toBeGreaterThan(0);
  expect(stringAt(value, 'message')).toStartWith(sentences[0] ?? 'a sentence');
  return { line: Number(at(value, 'line')), message: stringAt(value, 'message'), errors };
}

/** Imports a body that must be answered with 200. */
export async function importAll(world: World, body: string | Uint8Array, options: CallOptions = {}) {
  return imported(await importBody(world, body, options));
}

/** Returns only the counts, for comparisons. */
export function counts({ lines, created, updated, unchanged, rejected }: Imported) {
  return { lines, created, updated, unchanged, rejected };
}

/** Sends the headers of an import on a new connection. The test itself sends the body. */
export async function openImport(world: World, length: number | 'chunked', ...headers: string[]) {
  const connection = await openRaw(world.server.port, 'POST');
  const size = length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const lines = [
    `${world.fill(sendImport).replace(' ', ' /v1')} HTTP/1.1`,
    `Host: 127.0.0.1:${world.server.port}`,
    `Authorization: Bearer ${world.tokens.all}`,
    `Content-Type: ${ndjson['content-type']}`,
    size,
    ...headers,
  ];
  await connection.send(`${lines.join('\r\n')}\r\n\r\n`);
  return connection;
}

/**
 * Imports a body that is sent as fast as the server reads it.
 *
 * @param length in bytes
 * @returns the answer, if it is complete
 */
export async function streamImport(world: World, length: number, chunks: Iterable<string | Uint8Array>) {
  const connection = await openImport(world, length);
  try {
    for (const chunk of chunks) if (!(await connection.send(chunk))) break;
    return await connection.reply;
  } finally {
    connection.hangUp();
  }
}

/** Sends one chunk of a chunked body (RFC 9112 §7.1). */
export async function sendChunk(connection: RawConnection, bytes: string | Uint8Array): Promise<boolean> {
  const content = Buffer.from(bytes);
  const head = Buffer.from(`${content.length.toString(16)}\r\n`);
  return connection.send(Buffer.concat([head, content, Buffer.from('\r\n')]));
}
