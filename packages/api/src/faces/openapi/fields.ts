import type { GenericSchema } from 'valibot';
import { type AnyOperation, takesIfMatch } from '../../operations/operation.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';

/** The fields of an object, by name. */
export interface Fields {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

const IF_MATCH = {
  type: 'integer',
  description: 'The `version` that the client last saw. If the resource has been changed since, nothing is done.',
};

/**
 * Returns the fields of an operation as tRPC's clients send them: the ids of the path and all other fields, in one
 * object.
 */
export function inputFieldsOf(operation: AnyOperation): Fields {
  const parts = [operation.within?.schema, operation.input].flatMap((schema) => (schema ? [fieldsOf(schema)] : []));
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return {
    properties: { ...properties, ...(takesIfMatch(operation) && { if_match: IF_MATCH }) },
    required: parts.flatMap(({ required }) => required),
  };
}

/** Returns the fields of an object's schema, as callers send them. */
export const fieldsOf = (schema: GenericSchema): Fields => {
  const { properties = {}, required = [] } = jsonSchemaOf(schema) as Partial<Fields>;
  return { properties, required };
};
