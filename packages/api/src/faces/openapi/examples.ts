import { type FieldErrors, summarise } from '@postshelf/domain';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../operations/fields/field-errors.ts';
import type { Described } from '../../operations/operation.ts';
import { jsonSchemaOf } from './json-schema.ts';

export interface ExampleError {
  readonly message: string;
  readonly errors?: FieldErrors;
}

/** Invalid values that yield the example errors: an empty one and one of a wrong type. */
const INVALID_VALUES: readonly unknown[] = ['', {}];

const BODY_TOO_LARGE = 'The request body must not be larger than 1 MB.';

const KEY_INVALID: FieldErrors = {
  idempotency_key: ['The idempotency key was already used for another request.'],
};

/**
 * Returns an example error for a status whose errors depend on the operation. For 422, it contains the errors that the
 * operation's own schema reports, unless the operation declares other examples. Returns undefined for statuses whose
 * example is the same for all operations.
 *
 * @param fields the schema of the operation's body or query
 */
export function exampleError(
  status: number,
  { examples = {} }: Pick<Described, 'examples'>,
  fields: v.GenericSchema | undefined,
): ExampleError | undefined {
  if (status === 413) return { message: examples[413] ?? BODY_TOO_LARGE };
  if (status !== 422) return undefined;
  const errors = examples[422] ?? (fields && errorsOf(fields)) ?? KEY_INVALID;
  return { message: summarise(errors), errors };
}

function errorsOf(fields: v.GenericSchema): FieldErrors | undefined {
  const names = Object.keys((jsonSchemaOf(fields).properties as object | undefined) ?? {});
  const inputs = [{}, ...names.flatMap((name) => INVALID_VALUES.map((value) => ({ [name]: value })))];
  for (const input of inputs) {
    const { issues } = v.safeParse(fields, input);
    if (issues) return fieldErrorsOf(issues);
  }
  return undefined;
}
