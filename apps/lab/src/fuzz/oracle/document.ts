import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The committed OpenAPI document. */
export const document = JSON.parse(
  readFileSync(join(import.meta.dir, '../../../../../docs/openapi.json'), 'utf8'),
) as Json;

/** Returns the value at a path of keys; undefined if the path ends early. */
export function at(value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as { readonly [key: string | number]: Json })[key];
  }
  return current;
}

export const entriesOf = (value: Json | undefined): readonly (readonly [string, Json])[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

/** Follows `$ref`s to the value to which they lead (RFC 6901). */
export function resolve(value: Json | undefined): Json | undefined {
  const reference = at(value, '$ref');
  return typeof reference === 'string' ? resolve(at(document, ...reference.slice(2).split('/'))) : value;
}

export interface Operation {
  /** The name of the operation, for example `GET /posts/{id}`. */
  readonly name: string;
  readonly method: string;
  /** The path below `/v1`. */
  readonly path: string;
  /** The name in tRPC: `posts.get`. */
  readonly procedure: string;
  /** The name of the MCP tool that calls the operation; null if there is none. */
  readonly tool: string | null;
  /** Whether the operation needs no token. This is true only of signing in, which tRPC doesn't have. */
  readonly isOpen: boolean;
  readonly query: readonly { readonly name: string; readonly schema: Json }[];
  /** The schema of the JSON body; undefined if there is none. */
  readonly body: Json | undefined;
}

/**
 * All operations of the document. A path with `#` is skipped: it repeats another path, and exists only for
 * documentation.
 */
export const operations: readonly Operation[] = entriesOf(at(document, 'paths'))
  .filter(([path]) => !path.includes('#'))
  .flatMap(([path, methods]) =>
    entriesOf(methods).map(([method, operation]) => readOperation(method.toUpperCase(), path, operation)),
  );

function readOperation(method: string, path: string, operation: Json): Operation {
  const parameters = at(operation, 'parameters');
  const query = (Array.isArray(parameters) ? (parameters as readonly Json[]) : [])
    .map(resolve)
    .filter((parameter) => at(parameter, 'in') === 'query')
    .map((parameter) => ({ name: String(at(parameter, 'name')), schema: at(parameter, 'schema') ?? {} }));
  const id = String(at(operation, 'operationId'));
  const procedure = id.replace(/[A-Z]/, (letter) => `.${letter.toLowerCase()}`);
  const body = at(operation, 'requestBody', 'content', 'application/json', 'schema');
  const isOpen = at(operation, 'security', 0) === undefined;
  const tool = at(operation, 'x-tool');
  return {
    name: `${method} ${path}`,
    method,
    path,
    procedure,
    tool: typeof tool === 'string' ? tool : null,
    isOpen,
    query,
    body,
  };
}
