import { expect, test } from 'bun:test';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../../src/operations/fields/field-errors.ts';
import { listOf, objectOf } from '../../../src/operations/fields/values.ts';

function errorsOf(schema: v.GenericSchema, input: unknown) {
  const read = v.safeParse(schema, input);
  return read.success ? null : fieldErrorsOf(read.issues);
}

test('a list that is too long is reported as one error, without errors for its items', () => {
  const schema = v.object({ ids: v.optional(v.nullable(listOf(v.string(), 2))) });
  for (const ids of [undefined, null, [], ['a'], ['a', 'b']]) expect(errorsOf(schema, { ids })).toBeNull();
  expect(errorsOf(schema, { ids: ['a', 1] })).toEqual({ 'ids.1': ['The ids.1 field must be a string.'] });
  for (const ids of [['a', 'b', 'c'], [1, 2, 3], Array(1000).fill(0)])
    expect(errorsOf(schema, { ids })).toEqual({ ids: ['The ids field must not have more than 2 items.'] });
  expect(errorsOf(schema, { ids: 'abc' })).toEqual({ ids: ['The ids field must be an array.'] });
});

test('an array is rejected where an object is expected', () => {
  const schema = v.object({ it: v.optional(objectOf({ a: v.optional(v.string()) })) });
  for (const it of [undefined, {}, { a: 'x' }, { b: 1 }]) expect(errorsOf(schema, { it })).toBeNull();
  for (const it of [[], [1], [['a', 'x']]]) expect(errorsOf(schema, { it })).not.toBeNull();
});
