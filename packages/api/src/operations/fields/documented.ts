import * as v from 'valibot';

/** Documentation only: none of it is checked. */
export interface Facts {
  /** Makes the schema a component of this name. */
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  /** If the schema's own is wider than what callers should know. */
  readonly type?: 'boolean' | 'integer' | 'string';
  readonly format?: 'uuid' | 'uri' | 'email' | 'date-time' | 'binary';
  readonly contentMediaType?: string;
  /** Of the values in a string (JSON Schema 2020-12, Validation, section 8.5). */
  readonly contentSchema?: v.GenericSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  /** A part that goes beyond the published interface. */
  readonly 'x-extension'?: true;
}

/** After a transformation they would describe its result, so facts of an input go before it. */
export const documented = <const TSchema extends v.GenericSchema>(schema: TSchema, facts: Facts) =>
  v.pipe(schema, v.metadata<v.InferOutput<TSchema>, Facts & Record<string, unknown>>({ ...facts }));
