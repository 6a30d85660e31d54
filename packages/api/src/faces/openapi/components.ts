import { isDeepStrictEqual } from 'node:util';
import type { Document } from './document-shape.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * Moves every schema with a title to the components. If a schema contains one with the same title, the inner one
 * becomes a reference to the outer one: a media item's cover is also a media item.
 *
 * @throws Error if two different schemas have the same title
 */
export function nameComponents(document: Document): Document {
  const schemas = new Map<string, JsonSchema>();
  const paths = moveToComponents(document.paths, schemas, []) as Document['paths'];
  const named = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  const { components } = document;
  return { ...document, paths, components: { ...components, schemas: Object.fromEntries(named) } };
}

function moveToComponents(value: unknown, found: Map<string, JsonSchema>, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((part) => moveToComponents(part, found, within));
  if (typeof value !== 'object' || value === null) return value;
  const title = 'type' in value && 'title' in value && typeof value.title === 'string' ? value.title : null;
  if (title !== null && within.includes(title)) return referenceTo(title);
  const inside = title === null ? within : [...within, title];
  const schema = Object.fromEntries(
    // Examples are left unchanged, because they are values, even if they look like schemas.
    Object.entries(value).map(([key, part]) => [key, isExample(key) ? part : moveToComponents(part, found, inside)]),
  );
  if (title === null) return schema;
  const before = found.get(title) ?? schema;
  if (!isDeepStrictEqual(before, schema)) throw new Error(`Two different schemas have the title ${title}.`);
  found.set(title, schema);
  return referenceTo(title);
}

const isExample = (key: string): boolean => key === 'example' || key === 'examples';

export const referenceTo = (title: string) => ({ $ref: `#/components/schemas/${title}` });
