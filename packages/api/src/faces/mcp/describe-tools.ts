import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { GenericSchema } from 'valibot';
import { namedOperations } from '../../operations/index.ts';
import { type AnyOperation, changes, takesIfMatch } from '../../operations/operation.ts';
import { type JsonSchema, jsonSchemaOf } from '../openapi/json-schema.ts';

const VERSION = { type: 'integer', description: 'Counts the changes of the resource.' };

const IF_MATCH = {
  type: 'integer',
  description: 'The `version` that was last seen: if someone else has changed the resource since, nothing is done.',
};

/** Of the document alone. */
const DOCUMENT_ONLY: readonly string[] = ['examples', 'x-extension'];

/** By their names as tools. */
export const toolOperations: ReadonlyMap<string, AnyOperation> = new Map(
  namedOperations.flatMap(([, operation]) => (operation.tool ? [[operation.tool, operation] as const] : [])),
);

export const TOOLS: readonly Tool[] = [...toolOperations].map(([name, operation]) => describeTool(name, operation));

function describeTool(name: string, operation: AnyOperation): Tool {
  const { summary, description, method, status } = operation;
  const isChange = changes(operation);
  return {
    name,
    title: summary,
    description: `${summary}. ${description}`,
    inputSchema: inputOf(operation),
    ...(status !== 204 && { outputSchema: outputOf(operation) }),
    // What POST makes replaces nothing; every other change does.
    annotations: { readOnlyHint: !isChange, destructiveHint: isChange && method !== 'POST' },
  };
}

/** The ids of the path and the other fields, in one object, as over tRPC. */
function inputOf(operation: AnyOperation): Tool['inputSchema'] {
  const parts = [operation.within?.schema, operation.input].flatMap((schema) => (schema ? [partsOf(schema)] : []));
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return {
    type: 'object',
    properties: { ...properties, ...(takesIfMatch(operation) && { if_match: IF_MATCH }) },
    required: parts.flatMap(({ required }) => required),
  };
}

function outputOf({ output, versioned = false }: AnyOperation): NonNullable<Tool['outputSchema']> {
  const { properties, required } = partsOf(output);
  return {
    type: 'object',
    properties: { ...properties, ...(versioned && { version: VERSION }) },
    required: [...required, ...(versioned ? ['version'] : [])],
  };
}

function partsOf(schema: GenericSchema) {
  const { properties = {}, required = [] } = plain(jsonSchemaOf(schema)) as {
    readonly properties?: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
  return { properties, required };
}

/**
 * Without what would fill the memory of an assistant; nor is an item described within itself, as the cover of another.
 * Properties may have any name.
 *
 * @param within titles of the schemas around it
 */
function plain(schema: JsonSchema, within: readonly unknown[] = []): JsonSchema {
  const { title, properties, ...rest } = schema;
  if (title !== undefined && within.includes(title)) return { type: 'object' };
  const around = [...within, title];
  const parts = Object.entries(rest).filter(([key]) => !DOCUMENT_ONLY.includes(key));
  const fields = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
  return {
    ...Object.fromEntries(parts.map(([key, part]) => [key, plainPart(part, around)])),
    ...(properties !== undefined && {
      properties: Object.fromEntries(fields.map(([key, part]) => [key, plain(part, around)])),
    }),
  };
}

function plainPart(part: unknown, within: readonly unknown[]): unknown {
  if (Array.isArray(part)) return part.map((one) => plainPart(one, within));
  return typeof part === 'object' && part !== null ? plain(part as JsonSchema, within) : part;
}
