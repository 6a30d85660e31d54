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

/** Where the values of an example come from that no schema can give. */
export interface Values {
  /** The id at that place. */
  id(path: Path): string;
  /** An address that an import can be had from. */
  readonly url: string;
}

/** The place in a body where the bytes of a file belong. */
export const FILE = Symbol('the bytes of a file');

/** Every id that a schema has room for, required or not; of a list of ids, the first two. */
export function bodyIds(place: string, schema: unknown, path: Path = [], isRequired = true): BodyId[] {
  switch (typeOf(schema)) {
    case 'object':
      return keysOf(at(schema, 'properties')).flatMap((key) =>
        bodyIds(place, at(schema, 'properties', key), [...path, key], isRequired && isAsked(schema, key)),
      );
    case 'array':
      return placesIn(schema).flatMap((index) => bodyIds(place, at(schema, 'items'), [...path, index], isRequired));
    case 'string': {
      const kind = kindOf(place, nameOf(path), Object(schema));
      return kind === null ? [] : [{ path, kind, isRequired }];
    }
    default:
      return [];
  }
}

/**
 * A body with what a schema requires, and what leads to the ids besides; with its first field, where that would be none.
 *
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
        const asked = keys.filter((key) => isAsked(part, key) || leadsTo([...here, key]));
        const wanted = asked.length > 0 ? asked : keys.slice(0, 1);
        return Object.fromEntries(wanted.map((key) => [key, make(at(part, 'properties', key), [...here, key])]));
      }
      case 'array':
        return placesIn(part).map((index) => make(at(part, 'items'), [...here, index]));
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
    return at(part, 'examples', 0) ?? lacking(here);
  }

  function lacking(here: Path): never {
    throw new Error(`${place} requires "${here.join('.')}", of which docs/openapi.json gives no example.`);
  }

  function leadsTo(here: Path): boolean {
    return besides.some((path) => here.every((key, index) => path[index] === key));
  }
}

/** A file or an object alone is a list; ids are attacked behind good ones too. */
const placesIn = (list: unknown): readonly number[] => (at(list, 'items', 'format') === 'uuid' ? [0, 1] : [0]);

const isAsked = (schema: unknown, key: string): boolean => {
  const required = at(schema, 'required');
  return Array.isArray(required) && required.includes(key);
};

/** The type but for null, which any of them may be as well. */
function typeOf(schema: unknown): unknown {
  const type = at(schema, 'type');
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

/** The last name on the way to a value: places in arrays have none. */
const nameOf = (path: Path): string => String(path.findLast((key) => typeof key === 'string') ?? '');
