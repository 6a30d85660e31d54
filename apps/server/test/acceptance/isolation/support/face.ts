import { expect } from 'bun:test';
import * as fixtures from '../../support/fixtures.ts';
import { boundary, field, file, multipart } from '../../support/multipart.ts';
import { at, keysOf, type Reply } from '../../support/reply.ts';
import type { CallOptions, World } from '../../support/world.ts';
import { FILE } from './example.ts';
import type { Content, RequestShape } from './requests.ts';

/** One of the two ways to the same operations, and how each says what it says. */
export interface Face {
  readonly name: string;
  /** Whether the shape can be asked for here. */
  takes(shape: RequestShape): boolean;
  send(world: World, shape: RequestShape, content: Content, token: string | null): Promise<Reply>;
  expectDone(reply: Reply): void;
  /** Nothing is there under an id of the path. */
  expectMissing(reply: Reply): void;
  /** Nothing is there under the id in this field, and all else is fine. */
  expectInvalid(shape: RequestShape, reply: Reply, field: string): void;
}

/** The request as REST has it: the target and what goes with it. */
export function asRest({ method, path, contentType }: RequestShape, content: Content): [string, CallOptions] {
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(content.path[name] ?? ''));
  const query = new URLSearchParams(content.query).toString();
  return [`${method} ${target}${query === '' ? '' : `?${query}`}`, bodyOf(contentType, content.body)];
}

function bodyOf(contentType: string | null, body: unknown): CallOptions {
  if (contentType === null) return {};
  if (contentType === 'multipart/form-data') {
    const parts = Object.entries(Object(body)).map(([name, value]) => partOf(name, value));
    const { contentType: type, bytes } = multipart(parts, boundary);
    return { headers: { 'content-type': type }, body: bytes };
  }
  // The one line of a body of lines is the same text as a body of JSON.
  return { headers: { 'content-type': contentType }, body: JSON.stringify(body) };
}

const partOf = (name: string, value: unknown) =>
  Array.isArray(value) && value[0] === FILE ? file('beach.jpg', fixtures.jpeg(), name) : field(name, String(value));

export const rest: Face = {
  name: 'REST',
  takes: () => true,
  send: (world, shape, content, token) => {
    const [send, options] = asRest(shape, content);
    return world.call(send, { ...options, token });
  },
  expectDone: (reply) => expectStatus(reply, [200, 201, 202, 204]),
  expectMissing: (reply) => expect([reply.status, reply.text]).toEqual([404, '{"message":"Not found."}']),
  expectInvalid({ contentType }, reply, name) {
    if (contentType !== null && /\b(x-)?(ndjson|jsonl)$/.test(contentType)) {
      // Lines are taken or rejected by themselves.
      expectStatus(reply, [200]);
      expect(at(reply.json, 'data')).toMatchObject({ lines: 1, created: 0, updated: 0, rejected: 1 });
      expect(keysOf(at(reply.json, 'data', 'rejections', 0, 'errors'))).toEqual([name]);
      return;
    }
    expectStatus(reply, [422]);
    expect(keysOf(at(reply.json, 'errors'))).toEqual([name]);
  },
};

/** `mediaImportUrl` is `media.importUrl`. */
export const procedureOf = ({ operationId }: RequestShape): string =>
  operationId.replace(/^([a-z]+)([A-Z])/, (_, router: string, letter: string) => `${router}.${letter.toLowerCase()}`);

/** Of a shape as tRPC has it, all in one object. */
export function asInput({ path, query, body }: Content): object {
  return { ...path, ...query, ...Object(body ?? {}) };
}

export const trpc: Face = {
  name: 'tRPC',
  // What isn't JSON goes through REST alone (docs/api.md, "tRPC").
  takes: ({ contentType }) => contentType === null || contentType === 'application/json',
  send: (world, shape, content, token) => {
    const input = asInput(content);
    const procedure = procedureOf(shape);
    if (shape.method !== 'GET') return world.call(`POST /trpc/${procedure}`, { json: input, token });
    return world.call(`GET /trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`, { token });
  },
  expectDone: (reply) => expectStatus(reply, [200]),
  expectMissing(reply) {
    expectStatus(reply, [404]);
    expect(at(reply.json, 'error', 'message')).toBe('Not found.');
  },
  expectInvalid(_, reply, name) {
    expectStatus(reply, [422]);
    expect(keysOf(at(reply.json, 'error', 'data', 'errors'))).toEqual([name]);
  },
};

/** The body says why, which a bare comparison of two numbers wouldn't. */
function expectStatus(reply: Reply, allowed: readonly number[]): void {
  if (!allowed.includes(reply.status)) expect(`${reply.status} ${reply.text}`).toBe(allowed.join(' or '));
}

/** All of an answer that a client can compare, but for when it was given and its own number. */
export const comparable = ({ status, headers, bytes }: Reply) => ({
  status,
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id').sort(),
  body: Buffer.from(bytes).toString('latin1'),
});
