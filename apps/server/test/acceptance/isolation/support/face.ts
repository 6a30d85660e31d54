import { expect } from 'bun:test';
import { toolNames } from '../../mcp/support/assistant.ts';
import * as fixtures from '../../support/fixtures.ts';
import { boundary, field, file, multipart } from '../../support/multipart.ts';
import { at, keysOf, makeReply, type Reply, stringAt } from '../../support/reply.ts';
import type { CallOptions, World } from '../../support/world.ts';
import { FILE } from './example.ts';
import type { Content, RequestShape } from './requests.ts';

/** An interface to the operations: REST, tRPC or MCP. It sends requests, and checks its form of the answers. */
export interface Face {
  readonly name: string;
  /** Whether the interface can send requests of this shape. */
  takes(shape: RequestShape): boolean;
  send(world: World, shape: RequestShape, content: Content, token: string | null): Promise<Reply>;
  expectDone(reply: Reply): void;
  /** Checks that the answer says that an id in the path is unknown. */
  expectMissing(reply: Reply): void;
  /** Checks that the answer refuses the id in this field as unknown, and refuses nothing else. */
  expectInvalid(shape: RequestShape, reply: Reply, field: string): void;
}

/** The headers of the protocol for resumable uploads. */
export const TUS = {
  'tus-resumable': '1.0.0',
  'upload-length': '1000',
  'upload-offset': '0',
  'upload-metadata': 'filename YmVhY2gucG5n',
};

/** Whether an operation belongs to resumable uploads, which only REST has. */
export const isTus = (path: string): boolean => /\buploads\b/.test(path);

/** The method and target of a request over REST, and the options for its headers and body. */
export function asRest({ method, path, contentType }: RequestShape, content: Content): [string, CallOptions] {
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(content.path[name] ?? ''));
  const query = new URLSearchParams(content.query).toString();
  const { headers, ...options } = bodyOf(contentType, content.body);
  const more = isTus(path) ? TUS : {};
  return [`${method} ${target}${query === '' ? '' : `?${query}`}`, { ...options, headers: { ...more, ...headers } }];
}

function bodyOf(contentType: string | null, body: unknown): CallOptions {
  if (contentType === null) return {};
  if (contentType === 'multipart/form-data') {
    const parts = Object.entries(Object(body)).map(([name, value]) => partOf(name, value));
    const { contentType: type, bytes } = multipart(parts, boundary);
    return { headers: { 'content-type': type }, body: bytes };
  }
  // A body of one NDJSON line is the same text as JSON.
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
      // The status is 200 even if the line is rejected, because each line is accepted or rejected separately.
      expectStatus(reply, [200]);
      expect(at(reply.json, 'data')).toMatchObject({ lines: 1, created: 0, updated: 0, rejected: 1 });
      expect(keysOf(at(reply.json, 'data', 'rejections', 0, 'errors'))).toEqual([name]);
      return;
    }
    expectStatus(reply, [422]);
    expect(keysOf(at(reply.json, 'errors'))).toEqual([name]);
  },
};

/** The name of the procedure: the operation `mediaImportUrl` is `media.importUrl`. */
export const procedureOf = ({ operationId }: RequestShape): string =>
  operationId.replace(/^([a-z]+)([A-Z])/, (_, router: string, letter: string) => `${router}.${letter.toLowerCase()}`);

/** The input of a procedure, which has all values in one object. */
export function asInput({ path, query, body }: Content): object {
  return { ...path, ...query, ...Object(body ?? {}) };
}

export const trpc: Face = {
  name: 'tRPC',
  // Only REST accepts bodies other than JSON (docs/api.md, "tRPC").
  // A subscription sends refusals in its stream, which separate tests check.
  takes: ({ path, contentType, isStream, isPicture }) =>
    !isStream && !isPicture && !isTus(path) && (contentType === null || contentType === 'application/json'),
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

/** The operations that assistants can call as tools. */
export const mcp: Face = {
  name: 'MCP',
  takes: (shape) => trpc.takes(shape) && toolNames.has(shape.operationId),
  async send(world, shape, content, token) {
    const params = { name: toolNames.get(shape.operationId), arguments: asInput(content) };
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = { accept: 'application/json, text/event-stream' };
    return asRefusal(await world.call('POST /mcp', { json, headers, token }));
  },
  expectDone(reply) {
    expectStatus(reply, [200]);
    expect(at(reply.json, 'result', 'content')).toBeArray();
  },
  expectMissing: (reply) => rest.expectMissing(reply),
  expectInvalid: (shape, reply, name) => rest.expectInvalid(shape, reply, name),
};

/** A tool's refusal with the status that REST would return. MCP itself doesn't transmit a status. */
function asRefusal(reply: Reply): Reply {
  if (at(reply.json, 'result', 'isError') !== true) return reply;
  const text = stringAt(reply.json, 'result', 'content', 0, 'text');
  const { message, errors } = JSON.parse(text);
  const status = errors
    ? 422
    : message === 'Not found.'
      ? 404
      : /^The scope \S+ is missing\.$/.test(message)
        ? 403
        : 500;
  return makeReply(status, reply.headers, new TextEncoder().encode(text));
}

/** Checks the status. If it is wrong, the error also shows the body. */
function expectStatus(reply: Reply, allowed: readonly number[]): void {
  if (!allowed.includes(reply.status)) expect(`${reply.status} ${reply.text}`).toBe(allowed.join(' or '));
}

/** Everything that a client sees of an answer, except for its date and request id. */
export const comparable = ({ status, headers, bytes }: Reply) => ({
  status,
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id').sort(),
  body: Buffer.from(bytes).toString('latin1'),
});
