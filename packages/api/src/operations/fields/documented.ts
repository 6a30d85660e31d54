import * as v from 'valibot';

/** Metadata for the documentation. None of it is checked. */
export interface Facts {
  /** Makes the schema a component with this name. */
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** Overrides a type that is wider than callers need to know. */
  readonly type?: 'boolean' | 'integer' | 'string';
  readonly format?: 'uuid' | 'uri' | 'email' | 'date-time' | 'binary';
  readonly contentMediaType?: string;
  /** The schema of the values in a string (JSON Schema 2020-12, Validation, section 8.5). */
  readonly contentSchema?: v.GenericSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  /** Marks a part that goes beyond the published interface. */
  readonly 'x-extension'?: true;
}

/**
 * Adds metadata to a schema. After a transformation, the metadata describes the result, so that of the input must be
 * added before.
 */
export const documented = <const TSchema extends v.GenericSchema>(schema: TSchema, facts: Facts) =>
  v.pipe(schema, v.metadata<v.InferOutput<TSchema>, Facts & Record<string, unknown>>({ ...facts }));
