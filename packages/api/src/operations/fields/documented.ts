import * as v from 'valibot';

/**
 * What the OpenAPI document says about a schema in addition to its checks. Documentation only: none of it is checked.
 */
export interface Facts {
  /** Makes the schema a component of the document, under this name. */
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** Replaces the schema's own type if that is wider than what callers should know. */
  readonly type?: 'integer' | 'string';
  readonly format?: 'uuid' | 'uri' | 'date-time' | 'binary';
  readonly contentMediaType?: string;
  /** For a string that contains values: their schema (JSON Schema 2020-12, Validation, section 8.5). */
  readonly contentSchema?: v.GenericSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  /** Goes beyond the published interface, as a part of something that doesn't. */
  readonly 'x-extension'?: true;
}

/**
 * Adds {@link Facts} to a schema. After a transformation in a pipe they would describe its result, which callers don't
 * send, so facts of an input go before it.
 */
export const documented = <const TSchema extends v.GenericSchema>(schema: TSchema, facts: Facts) =>
  v.pipe(schema, v.metadata<v.InferOutput<TSchema>, Facts & Record<string, unknown>>({ ...facts }));
