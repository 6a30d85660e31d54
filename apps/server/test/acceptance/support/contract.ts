import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { at, keysOf, type Reply } from './reply.ts';

/** The document as it is committed, and as every client reads it. */
export const document: unknown = JSON.parse(
  readFileSync(resolve(import.meta.dir, '../../../../../docs/openapi.json'), 'utf8'),
);

/** An operation of the document, or one status of it: `GET /media_contents/{id}`, `GET /media_contents/{id} 200`. */
export type Place = string;

interface DocumentedOperation {
  readonly place: Place;
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
  /** What the document says that a token must have; null where any token will do. */
  readonly scope: string | null;
  /** Whether it asks for no token at all: signing in. */
  readonly isOpen: boolean;
}

export const operations: readonly DocumentedOperation[] = keysOf(at(document, 'paths')).flatMap((path) =>
  keysOf(at(document, 'paths', path)).map((method) => ({
    place: `${method.toUpperCase()} ${path}`,
    method,
    path,
    segments: path.split('/'),
    scope: scopeOf(at(document, 'paths', path, method, 'x-scope')),
    isOpen: at(document, 'paths', path, method, 'security', 0) === undefined,
  })),
);

function scopeOf(scope: unknown): string | null {
  return typeof scope === 'string' ? scope : null;
}

/** Every success that the document promises. */
export const promisedSuccesses: readonly Place[] = operations.flatMap(({ place, method, path }) =>
  keysOf(at(document, 'paths', path, method, 'responses'))
    .filter((status) => status.startsWith('2'))
    .map((status) => `${place} ${status}`),
);

/** The statuses of operations that this process has seen and found as documented. */
export const seen = new Set<Place>();

const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(withoutMore(document) as object, 'document');
const validators = new Map<string, ValidateFunction>();

/**
 * Holds an answer of the API to the document: status, content type, the required headers' values, and a body without a
 * field too many. Requests that name no operation are let by.
 *
 * @param target the path with its query, below `/v1`
 * @throws Error that says what differs
 */
export function holdToDocument(method: string, target: string, reply: Reply): void {
  const isHead = method === 'HEAD';
  const operation = operationAt(isHead ? 'get' : method.toLowerCase(), target);
  if (!operation) return;
  const { place, path } = operation;
  const what = `${place} ${reply.status}`;
  const pointer = ['paths', path, operation.method, 'responses', String(reply.status)];
  const inline = at(document, ...pointer);
  if (inline === undefined) throw new Error(`${what} is not in the document; the body is ${reply.text.slice(0, 300)}`);
  const reference = at(inline, '$ref');
  const found = typeof reference === 'string' ? reference.slice('#/'.length).split('/') : pointer;
  const response = at(document, ...found);
  for (const name of keysOf(at(response, 'headers'))) {
    if (!reply.headers.has(name) && !isOptional(at(response, 'headers', name)))
      throw new Error(`${what} lacks the header ${name}.`);
  }
  const [type] = keysOf(at(response, 'content'));
  if (type === undefined) {
    if (reply.bytes.length > 0) throw new Error(`${what} has a body: ${reply.text.slice(0, 300)}`);
  } else {
    const given = (reply.headers.get('content-type') ?? '').split(';')[0];
    if (given !== type) throw new Error(`${what} is ${given} instead of ${type}.`);
    if (!isHead) holdToSchema(what, [...found, 'content', type, 'schema'], reply);
  }
  if (!isHead) seen.add(what);
}

/** Whether a header is one that only some answers have. */
function isOptional(header: unknown): boolean {
  const reference = at(header, '$ref');
  const found = typeof reference === 'string' ? at(document, ...reference.slice('#/'.length).split('/')) : header;
  return at(found, 'required') === false;
}

function holdToSchema(what: string, pointer: readonly string[], reply: Reply): void {
  const reference = `document#/${pointer.map((key) => encodeURIComponent(escaped(key))).join('/')}`;
  const validate = validators.get(reference) ?? ajv.compile({ $ref: reference });
  validators.set(reference, validate);
  if (validate(reply.json)) return;
  throw new Error(`${what}: ${ajv.errorsText(validate.errors)}; the body is ${reply.text.slice(0, 1000)}`);
}

/** A key as a part of a JSON pointer (RFC 6901 section 3). */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The operation that a request names; one without parameters goes before one whose parameter would fit. */
function operationAt(method: string, target: string): DocumentedOperation | undefined {
  const segments = (target.split('?', 1)[0] ?? '').split('/');
  const fitting = operations.filter(
    (operation) =>
      operation.method === method &&
      operation.segments.length === segments.length &&
      operation.segments.every((part, index) => part === segments[index] || (isParameter(part) && segments[index])),
  );
  return fitting.find(({ segments: parts }) => parts.every((part, i) => part === segments[i])) ?? fitting[0];
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

/** The document with every object closed: clients may be sent more some day, but not before it is documented. */
function withoutMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMore);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutMore(part)]));
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
