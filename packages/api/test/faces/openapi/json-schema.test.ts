import { describe, expect, test } from 'bun:test';
import * as v from 'valibot';
import { jsonSchemaOf } from '../../../src/faces/openapi/json-schema.ts';
import { documented } from '../../../src/operations/fields/documented.ts';

describe('a valibot schema in the document', () => {
  test('facts before a transformation describe what callers send', () => {
    const schema = v.pipe(documented(v.string(), { format: 'uuid', description: 'An id.' }), v.transform(Number));
    expect(jsonSchemaOf(schema)).toEqual({ type: 'string', format: 'uuid', description: 'An id.' });
  });

  test('a type among the facts stands for a union', () => {
    const schema = documented(v.union([v.number(), v.string()]), { type: 'integer', minimum: 1 });
    expect(jsonSchemaOf(schema)).toEqual({ type: 'integer', minimum: 1 });
  });

  test('nothing is checked by facts', () => {
    expect(v.is(documented(v.string(), { maxLength: 1, format: 'uuid' }), 'long')).toBe(true);
  });

  test('checks that have a keyword speak for themselves', () => {
    expect(jsonSchemaOf(v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(10)))).toEqual({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 10,
    });
  });

  test('a value or null is one schema, what is said around it winning', () => {
    const inner = documented(v.string(), { description: 'inner', maxLength: 3 });
    expect(jsonSchemaOf(documented(v.nullable(inner), { description: 'outer' }))).toEqual({
      type: ['string', 'null'],
      description: 'outer',
      maxLength: 3,
    });
  });

  test('enums and named schemas keep their own place beside null', () => {
    const named = documented(v.object({}), { title: 'Named' });
    expect(jsonSchemaOf(v.nullable(named))).toHaveProperty('anyOf');
    expect(jsonSchemaOf(v.nullable(v.picklist(['a', 'b'])))).toHaveProperty('anyOf');
  });

  test('examples stay as they are', () => {
    const example = { anyOf: [{ type: 'string' }, { type: 'null' }], required: [] };
    expect(jsonSchemaOf(documented(v.object({}), { examples: [example] }))).toMatchObject({ examples: [example] });
  });
});
