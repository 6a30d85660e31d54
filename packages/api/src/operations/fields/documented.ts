import * as v from 'valibot';

/** Metadata for the OpenAPI document. The schemas don't enforce it. */
export interface FieldDescription {
  /** Makes the schema a component with this name. */
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** Overrides the type in the document, if the schema also accepts types that callers don't need to know about. */
  readonly type?: 'boolean' | 'integer' | 'string';
  readonly format?: 'uuid' | 'uri' | 'email' | 'date-time' | 'binary';
  readonly contentMediaType?: string;
  /** The schema of the content of a string (JSON Schema 2020-12, Validation, section 8.5). */
  readonly contentSchema?: v.GenericSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  /** Marks a field or a schema that isn't part of the published interface. */
  readonly 'x-extension'?: true;
}

/**
 * Adds metadata to a schema. Metadata that is added after a transformation describes the result, so the metadata of the
 * input must be added before it.
 */
export const documented = <const TSchema extends v.GenericSchema>(schema: TSchema, description: FieldDescription) =>
  v.pipe(schema, v.metadata<v.InferOutput<TSchema>, FieldDescription & Record<string, unknown>>({ ...description }));
