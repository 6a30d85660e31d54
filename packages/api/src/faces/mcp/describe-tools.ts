import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { namedOperations } from '../../operations/index.ts';
import { type AnyOperation, changes } from '../../operations/operation.ts';
import { type Fields, fieldsOf, inputFieldsOf } from '../openapi/fields.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';

const VERSION = { type: 'integer', description: 'The version of the resource. Every change increases it.' };

/** Keywords that are only meant for the OpenAPI document, so tools omit them. */
const DOCUMENT_ONLY: readonly string[] = ['examples', 'x-extension'];

/** The operations that are offered as tools, by tool name. */
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
    inputSchema: { type: 'object', ...plainFields(inputFieldsOf(operation)) },
    ...(status !== 204 && { outputSchema: outputOf(operation) }),
    // All changes count as destructive except those by POST, which only add something.
    annotations: { readOnlyHint: !isChange, destructiveHint: isChange && method !== 'POST' },
  };
}

function outputOf({ output, versioned = false }: AnyOperation): NonNullable<Tool['outputSchema']> {
  const { properties, required } = plainFields(fieldsOf(output));
  return {
    type: 'object',
    properties: { ...properties, ...(versioned && { version: VERSION }) },
    required: [...required, ...(versioned ? ['version'] : [])],
  };
}

function plainFields({ properties, required }: Fields) {
  const fields = Object.entries(properties).map(([name, field]) => [name, plain(field)] as const);
  return { properties: Object.fromEntries(fields), required: [...required] };
}

/**
 * Returns a schema without the keywords that would only fill an assistant's context. A schema that contains itself is
 * described only once: a media item's cover, for example, is also a media item. Properties are kept even if they have
 * the same names as keywords.
 *
 * @param within titles of the enclosing schemas
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
