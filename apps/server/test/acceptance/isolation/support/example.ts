import { at, keysOf } from '../../support/reply.ts';
import { type Kind, kindOf } from './kinds.ts';

/** The keys that lead to a value inside a body. */
export type Path = readonly (string | number)[];

/** An id inside a body. */
export interface BodyId {
  readonly path: Path;
  readonly kind: Kind;
  readonly isRequired: boolean;
}

/** Values of an example that can't be taken from a schema. */
export interface Values {
  /** The id at that path. */
  id(path: Path): string;
  /** A URL that can be imported. */
  readonly url: string;
}

/** Represents the bytes of a file in a body. */
export const FILE = Symbol('the bytes of a file');

/**
 * Returns all fields of a body that hold an id, both required and optional ones. For a list of ids, returns its first
 * two elements.
 */
export function bodyIds(place: string, schema: unknown, path: Path = [], isRequired = true): BodyId[] {
  switch (typeOf(schema)) {
    case 'object':
      return keysOf(at(schema, 'properties')).flatMap((key) =>
        bodyIds(place, at(schema, 'properties', key), [...path, key], isRequired && requires(schema, key)),
      );
    case 'array':
      return indexesIn(schema).flatMap((index) => bodyIds(place, at(schema, 'items'), [...path, index], isRequired));
    case 'string': {
      const kind = kindOf(place, nameOf(path), Object(schema));
      return kind === null ? [] : [{ path, kind, isRequired }];
    }
    default:
      return [];
  }
}

/**
 * A body with the fields that a schema requires, and the fields on the paths in `besides`. An object that would
 * otherwise be empty gets its first field.
 *
 * @param besides paths of optional ids
 * @throws Error that names the field for which the document has no example
 */
export function exampleOf(place: string, schema: unknown, besides: readonly Path[], values: Values): unknown {
  return make(schema, []);

  function make(part: unknown, here: Path): unknown {
    const choices = at(part, 'enum');
    if (Array.isArray(choices)) return choices[0];
    switch (typeOf(part)) {
      case 'object': {
        const keys = keysOf(at(part, 'properties'));
        const needed = keys.filter((key) => requires(part, key) || leadsTo([...here, key]));
        const wanted = needed.length > 0 ? needed : keys.slice(0, 1);
        return Object.fromEntries(wanted.map((key) => [key, make(at(part, 'properties', key), [...here, key])]));
      }
      case 'array':
        return indexesIn(part).map((index) => make(at(part, 'items'), [...here, index]));
      case 'integer':
        return at(part, 'minimum') ?? at(part, 'examples', 0) ?? lacking(here);
      case 'boolean':
        return true;
      case 'string':
        return text(part, here);
      default:
        return lacking(here);
    }
  }

  function text(part: unknown, here: Path): unknown {
    if (at(part, 'contentMediaType') !== undefined) return FILE;
    if (kindOf(place, nameOf(here), Object(part)) !== null) return values.id(here);
    if (at(part, 'format') === 'uri') return values.url;
    // An email address must be unique in the workspace.
    if (at(part, 'format') === 'email') return `${crypto.randomUUID()}@example.com`;
    return at(part, 'examples', 0) ?? lacking(here);
  }

  function lacking(here: Path): never {
    throw new Error(`${place} requires "${here.join('.')}", of which docs/openapi.json gives no example.`);
  }

  function leadsTo(here: Path): boolean {
    return besides.some((path) => here.every((key, index) => path[index] === key));
  }
}

/**
 * The indexes of an example list's elements. A list of ids has two elements, so that tests can put a foreign id into
 * either of them. Any other list has one element.
 */
const indexesIn = (list: unknown): readonly number[] => (at(list, 'items', 'format') === 'uuid' ? [0, 1] : [0]);

const requires = (schema: unknown, key: string): boolean => {
  const required = at(schema, 'required');
  return Array.isArray(required) && required.includes(key);
};

/** The type of a schema. For a nullable schema it is the type other than null. */
function typeOf(schema: unknown): unknown {
  const type = at(schema, 'type');
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

/** The last key of a path, not counting indexes. */
const nameOf = (path: Path): string => String(path.findLast((key) => typeof key === 'string') ?? '');
