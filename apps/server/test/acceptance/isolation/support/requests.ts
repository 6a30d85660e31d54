import { document, operations } from '../../support/contract.ts';
import { hasFfmpeg } from '../../support/ffmpeg.ts';
import { at, keysOf, stringAt } from '../../support/reply.ts';
import { bodyIds, exampleOf, type Path } from './example.ts';
import { type Kind, kindOf } from './kinds.ts';

/** A field of a request that holds an id. */
export interface Slot {
  readonly where: 'path' | 'query' | 'body';
  /** The field's name in errors: `media_content_ids.0`. */
  readonly field: string;
  readonly kind: Kind;
}

/** The values of a request, grouped by whether they are sent in the path, the query or the body. */
export interface Content {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The value of the body, which is undefined if the operation has none. */
  readonly body: unknown;
}

/** One of the forms that a request to an operation can have: its required fields, and at most one optional id field. */
export interface RequestShape {
  readonly name: string;
  /** The method and path, such as `GET /media_contents/{id}`. */
  readonly place: string;
  readonly method: string;
  readonly path: string;
  readonly scope: string | null;
  /** The id of the operation, such as `mediaGet`. */
  readonly operationId: string;
  readonly contentType: string | null;
  /** Whether the answer is a stream of events. */
  readonly isStream: boolean;
  /** Whether the answer is an image, which tRPC can't return. */
  readonly isPicture: boolean;
  /** The names of the operation's fields in query and body. */
  readonly fields: readonly string[];
  /** Every field of the request that holds an id. */
  readonly slots: readonly Slot[];
  /** Returns the values of a request that contains these ids. `url` is for fields that take a URL to import. */
  content(idOf: (slot: Slot) => string, url: string): Content;
}

const closed: readonly RequestShape[] = operations.filter(({ isOpen }) => !isOpen).flatMap(shapesOf);

const isOperators = ({ scope }: RequestShape): boolean => scope === 'operator';

/**
 * The shapes of all documented operations, except for signing in, which has no ids and takes the token as a field, and
 * the operations for operators, which don't belong to a workspace.
 */
export const shapes = closed.filter((shape) => !isOperators(shape));

export const operatorShapes = closed.filter(isOperators);

function shapesOf({ place, method, path, scope }: (typeof operations)[number]): RequestShape[] {
  const operation = at(document, 'paths', path, method);
  const { inPath, inQuery, queryNames } = parametersOf(place, path, operation);
  const contents = at(operation, 'requestBody', 'content');
  const types: readonly (string | null)[] = contents === undefined ? [null] : keysOf(contents);
  return types.flatMap((contentType) => {
    const schema = contentType === null ? undefined : bodySchema(at(contents, contentType, 'schema'));
    const inBody = schema === undefined ? [] : bodyIds(place, schema);
    const fields: readonly Field[] = [
      ...inQuery,
      ...inBody.map(({ path: at, kind, isRequired }) => ({ slot: slotAt('body', at, kind), at, isRequired })),
    ];
    const required = fields.filter(({ isRequired }) => isRequired);
    const optional = fields.filter(({ isRequired }) => !isRequired);
    const groups = new Set(optional.map(groupOf));
    const choices =
      groups.size > 0 ? [...groups].map((group) => optional.filter((one) => groupOf(one) === group)) : [[]];
    return choices.map((besides): RequestShape => {
      const sent = [...required, ...besides];
      const details = [...(types.length > 1 ? [contentType] : []), ...besides.map(({ slot }) => slot.field)];
      return {
        name: details.length > 0 ? `${place} (${details.join(', ')})` : place,
        place,
        method: method.toUpperCase(),
        path,
        scope,
        operationId: stringAt(operation, 'operationId'),
        contentType,
        isPicture: at(operation, 'responses', '200', 'content', 'image/webp') !== undefined,
        isStream: at(operation, 'responses', '200', 'content', 'text/event-stream') !== undefined,
        fields: [...queryNames, ...keysOf(at(schema, 'properties'))],
        slots: [...inPath, ...sent.map(({ slot }) => slot)],
        content: (idOf, url) => ({
          path: Object.fromEntries(inPath.map((slot) => [slot.field, idOf(slot)])),
          query: Object.fromEntries(
            sent.filter(({ slot }) => slot.where === 'query').map(({ slot }) => [slot.field, idOf(slot)]),
          ),
          body:
            schema === undefined
              ? undefined
              : exampleOf(
                  place,
                  schema,
                  besides.filter(({ slot }) => slot.where === 'body').map(({ at }) => at),
                  { url, id: (path) => idOf(slotNamed(sent, path)) },
                ),
        }),
      };
    });
  });
}

/** A body's schema with its references resolved. For NDJSON it is the schema of a line. */
function bodySchema(schema: unknown): unknown {
  const whole = resolved(schema);
  return at(whole, 'contentSchema', 'items') ?? whole;
}

/** Resolves references. Schemas of bodies aren't recursive. */
function resolved(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(resolved);
  const reference = at(value, '$ref');
  if (typeof reference === 'string') return resolved(at(document, ...reference.slice('#/'.length).split('/')));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
}

interface Field {
  readonly slot: Slot;
  readonly at: Path;
  readonly isRequired: boolean;
}

/** The group of a field. All ids of a list are one group, because they are sent together. */
function groupOf({ slot }: Field): string {
  return slot.field.replace(/\.\d+$/, '');
}

function parametersOf(place: string, path: string, operation: unknown) {
  const segments = path.split('/');
  const parameters = Object.values(Object(at(operation, 'parameters') ?? []));
  const inPath: Slot[] = [];
  const inQuery: Field[] = [];
  const queryNames: string[] = [];
  for (const parameter of parameters) {
    const [name, where] = [stringAt(parameter, 'name'), stringAt(parameter, 'in')];
    const schema: unknown = at(parameter, 'schema');
    if (where === 'path') {
      const kind = kindOf(place, name, Object(schema), segments[segments.indexOf(`{${name}}`) - 1] ?? '');
      if (kind !== null) inPath.push(slotAt('path', [name], kind));
    } else if (where === 'query') {
      queryNames.push(name);
      const kind = at(schema, 'type') === 'string' ? kindOf(place, name, Object(schema)) : null;
      if (kind === null) continue;
      const slot = slotAt('query', [name], kind);
      inQuery.push({ slot, at: [name], isRequired: at(parameter, 'required') === true });
    }
  }
  return { inPath, inQuery, queryNames };
}

function slotAt(where: Slot['where'], path: Path, kind: Kind): Slot {
  return { where, field: path.join('.'), kind };
}

function slotNamed(fields: readonly Field[], path: Path): Slot {
  const field = path.join('.');
  const found = fields.find(({ slot }) => slot.where === 'body' && slot.field === field);
  if (found === undefined) throw new Error(`The shape has no slot at ${field}.`);
  return found.slot;
}

/** Whether the operation can succeed on this machine. */
export const isPossible = ({ name }: Pick<RequestShape, 'name'>): boolean => hasFfmpeg || !name.includes('/fit');
