import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { FieldDescription } from '../../operations/fields/documented.ts';

/** A JSON Schema in the dialect of OpenAPI 3.1, 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export function jsonSchemaOf(schema: GenericSchema): JsonSchema {
  const { $schema, $defs, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    // JSON Schema has no keywords for our own checks; the schema's metadata describes them to callers.
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'metadata' && 'metadata' in valibotAction
        ? withDescription({ ...jsonSchema }, valibotAction.metadata as FieldDescription)
        : null,
  });
  return simplified(converted, ($defs ?? {}) as Definitions) as JsonSchema;
}

/** Overrides the converted schema with the metadata. A type in the metadata replaces a union. */
function withDescription(schema: JsonSchema, description: FieldDescription): JsonSchema {
  const { anyOf, ...rest } = schema;
  const shown = description.contentSchema
    ? { ...description, contentSchema: jsonSchemaOf(description.contentSchema) }
    : description;
  return 'type' in description ? { ...rest, ...shown } : { ...schema, ...shown };
}

/** The converted schemas to which `v.lazy` schemas refer, by name. */
type Definitions = Readonly<Record<string, JsonSchema>>;

const DEFINITION = '#/$defs/';

const NULL = { type: 'null' };

/**
 * Whether a part of a schema is omitted: an empty list of required fields, because it says nothing, and a default of
 * null, because it would make generators require the field.
 */
const isSuperfluous = (key: string, part: unknown): boolean =>
  (key === 'default' && part === null) || (key === 'required' && Array.isArray(part) && part.length === 0);

/** Turns "a string or null" into one schema, and replaces each reference with its definition. */
function simplified(value: unknown, definitions: Definitions): unknown {
  if (Array.isArray(value)) return value.map((part) => simplified(part, definitions));
  if (typeof value !== 'object' || value === null) return value;
  const schema: JsonSchema = Object.fromEntries(
    Object.entries(inlined(value as JsonSchema, definitions))
      .filter(([key, part]) => !isSuperfluous(key, part))
      .map(([key, part]) => [key, key === 'examples' ? part : simplified(part, definitions)]),
  );
  const [some, none] = Array.isArray(schema.anyOf) && schema.anyOf.length === 2 ? (schema.anyOf as JsonSchema[]) : [];
  // A schema with a title isn't merged with null, so that it can become a component.
  if (!some || none?.type !== NULL.type || typeof some.type !== 'string' || some.title || some.enum) return schema;
  const { anyOf, ...rest } = schema;
  return { ...some, ...rest, type: [some.type, NULL.type] };
}

function inlined({ $ref, ...rest }: JsonSchema, definitions: Definitions): JsonSchema {
  if (typeof $ref !== 'string' || !$ref.startsWith(DEFINITION)) return $ref === undefined ? rest : { $ref, ...rest };
  return { ...inlined(definitions[$ref.slice(DEFINITION.length)] ?? {}, definitions), ...rest };
}
