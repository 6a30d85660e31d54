import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

/** A JSON Schema of the dialect that OpenAPI 3.1 speaks, 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the document says of a valibot schema: its types and checks, and the facts written beside them. */
export function jsonSchemaOf(schema: GenericSchema): JsonSchema {
  const { $schema, ...converted } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    // Checks of our own have no keyword; what a caller should know of them stands in the facts.
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'metadata' && 'metadata' in valibotAction
        ? withFacts({ ...jsonSchema }, valibotAction.metadata as JsonSchema)
        : null,
  });
  return withoutDetours(converted) as JsonSchema;
}

/** Facts win over what was converted; a type among them over a union. */
function withFacts(schema: JsonSchema, facts: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  return 'type' in facts ? { ...rest, ...facts } : { ...schema, ...facts };
}

const NULL = { type: 'null' };

/** An empty list of required fields; and null for what is absent, which makes generators of clients require the field. */
const isIdle = (key: string, part: unknown): boolean =>
  (key === 'default' && part === null) || (key === 'required' && Array.isArray(part) && part.length === 0);

/** Says "a string or null" in one schema instead of three. Components stay whole, so that they can be named. */
function withoutDetours(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDetours);
  if (typeof value !== 'object' || value === null) return value;
  const schema: JsonSchema = Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => !isIdle(key, part))
      .map(([key, part]) => [key, key === 'examples' ? part : withoutDetours(part)]),
  );
  const [some, none] = Array.isArray(schema.anyOf) && schema.anyOf.length === 2 ? (schema.anyOf as JsonSchema[]) : [];
  if (!some || none?.type !== NULL.type || typeof some.type !== 'string' || some.title || some.enum) return schema;
  const { anyOf, ...rest } = schema;
  return { ...some, ...rest, type: [some.type, NULL.type] };
}
