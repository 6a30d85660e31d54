import { describe, expect, test } from 'bun:test';
import * as v from 'valibot';
import { jsonSchemaOf } from '../../../src/faces/openapi/json-schema.ts';
import { documented } from '../../../src/operations/fields/documented.ts';

describe('the JSON Schema of a valibot schema', () => {
  test('describes the input if metadata come before a transformation', () => {
    const schema = v.pipe(documented(v.string(), { format: 'uuid', description: 'An id.' }), v.transform(Number));
    expect(jsonSchemaOf(schema)).toEqual({ type: 'string', format: 'uuid', description: 'An id.' });
  });

  test('describes a union by the type in its metadata', () => {
    const schema = documented(v.union([v.number(), v.string()]), { type: 'integer', minimum: 1 });
    expect(jsonSchemaOf(schema)).toEqual({ type: 'integer', minimum: 1 });
  });

  test('is not used for validation', () => {
    expect(v.is(documented(v.string(), { maxLength: 1, format: 'uuid' }), 'long')).toBe(true);
  });

  test('has a keyword for each check that JSON Schema knows', () => {
    expect(jsonSchemaOf(v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(10)))).toEqual({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 10,
    });
  });

  test('is a single schema for a nullable value, and prefers the metadata of the outer schema', () => {
    const inner = documented(v.string(), { description: 'inner', maxLength: 3 });
    expect(jsonSchemaOf(documented(v.nullable(inner), { description: 'outer' }))).toEqual({
      type: ['string', 'null'],
      description: 'outer',
      maxLength: 3,
    });
  });

  test('uses anyOf for a nullable enum or named schema', () => {
    const named = documented(v.object({}), { title: 'Named' });
    expect(jsonSchemaOf(v.nullable(named))).toHaveProperty('anyOf');
    expect(jsonSchemaOf(v.nullable(v.picklist(['a', 'b'])))).toHaveProperty('anyOf');
  });

  test('keeps examples unchanged', () => {
    const example = { anyOf: [{ type: 'string' }, { type: 'null' }], required: [] };
    expect(jsonSchemaOf(documented(v.object({}), { examples: [example] }))).toMatchObject({ examples: [example] });
  });
});
