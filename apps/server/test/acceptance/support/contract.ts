import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { at, keysOf, type Reply } from './reply.ts';

/** The committed OpenAPI document. */
export const document: unknown = JSON.parse(
  readFileSync(resolve(import.meta.dir, '../../../../../docs/openapi.json'), 'utf8'),
);

interface DocumentedOperation {
  /** The method and path, such as `GET /media_contents/{id}`. */
  readonly place: string;
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
  /** The scope that a token needs; null if any token is sufficient. */
  readonly scope: string | null;
  /** Whether the operation needs no token. Signing in is an example. */
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

/** All success responses in the document, such as `GET /media_contents/{id} 200`. */
export const documentedSuccesses: readonly string[] = operations.flatMap(({ place, method, path }) =>
  keysOf(at(document, 'paths', path, method, 'responses'))
    .filter((status) => status.startsWith('2'))
    .map((status) => `${place} ${status}`),
);

/** The responses that this process has checked, such as `GET /media_contents/{id} 200`. */
export const seen = new Set<string>();

// The document itself is checked by `npm run check`. Without these optimizations, which help only programs that check
// many values with few schemas, schemas compile in half the time.
const ajv = addFormats.default(
  new Ajv2020({ strict: false, validateSchema: false, inlineRefs: false, code: { optimize: false } }),
);
ajv.addSchema(withClosedObjects(document) as object, 'document');
const validators = new Map<string, ValidateFunction>();

/**
 * Checks an answer of the API against the document: its status, content type, required headers, and a body without
 * undocumented fields. Answers to requests that match no operation aren't checked.
 *
 * @param target the path with its query, below `/v1`
 * @throws Error that names the difference
 */
export function expectDocumented(method: string, target: string, reply: Reply): void {
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
    if (!isHead && type === 'application/json') expectSchema(what, [...found, 'content', type, 'schema'], reply);
  }
  if (!isHead) seen.add(what);
}

/** Whether the document allows a header to be missing. */
function isOptional(header: unknown): boolean {
  const reference = at(header, '$ref');
  const found = typeof reference === 'string' ? at(document, ...reference.slice('#/'.length).split('/')) : header;
  return at(found, 'required') === false;
}

function expectSchema(what: string, pointer: readonly string[], reply: Reply): void {
  const reference = `document#/${pointer.map((key) => encodeURIComponent(escaped(key))).join('/')}`;
  const validate = validators.get(reference) ?? ajv.compile({ $ref: reference });
  validators.set(reference, validate);
  if (validate(reply.json)) return;
  throw new Error(`${what}: ${ajv.errorsText(validate.errors)}; the body is ${reply.text.slice(0, 1000)}`);
}

/** A key in the form that it has in a JSON pointer (RFC 6901 section 3). */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** The operation that a request matches. An identical path has precedence over a path with parameters. */
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

/** The document with `additionalProperties: false` in every object, so that undocumented fields fail the check. */
function withClosedObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withClosedObjects);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withClosedObjects(part)]));
  return copy.type === 'object' && 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
