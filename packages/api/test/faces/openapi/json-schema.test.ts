import { describe, expect, test } from 'bun:test';
import * as v from 'valibot';
import { jsonSchemaOf } from '../../../src/faces/openapi/json-schema.ts';
import { documented } from '../../../src/operations/fields/documented.ts';

describe('a valibot schema in the document', () => {
  test('metadata before a transformation describe the input', () => {
    const schema = v.pipe(documented(v.string(), { format: 'uuid', description: 'An id.' }), v.transform(Number));
    expect(jsonSchemaOf(schema)).toEqual({ type: 'string', format: 'uuid', description: 'An id.' });
  });

  test('a type in the metadata describes a union', () => {
    const schema = documented(v.union([v.number(), v.string()]), { type: 'integer', minimum: 1 });
    expect(jsonSchemaOf(schema)).toEqual({ type: 'integer', minimum: 1 });
  });

  test('metadata check nothing', () => {
    expect(v.is(documented(v.string(), { maxLength: 1, format: 'uuid' }), 'long')).toBe(true);
  });

  test('checks with a JSON Schema keyword become that keyword', () => {
    expect(jsonSchemaOf(v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(10)))).toEqual({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 10,
    });
  });

  test('a nullable value is one schema, whose outer metadata win', () => {
    const inner = documented(v.string(), { description: 'inner', maxLength: 3 });
    expect(jsonSchemaOf(documented(v.nullable(inner), { description: 'outer' }))).toEqual({
      type: ['string', 'null'],
      description: 'outer',
      maxLength: 3,
    });
  });

  test('enums and named schemas stay schemas of their own beside null', () => {
    const named = documented(v.object({}), { title: 'Named' });
    expect(jsonSchemaOf(v.nullable(named))).toHaveProperty('anyOf');
    expect(jsonSchemaOf(v.nullable(v.picklist(['a', 'b'])))).toHaveProperty('anyOf');
  });

  test('examples stay as they are', () => {
    const example = { anyOf: [{ type: 'string' }, { type: 'null' }], required: [] };
    expect(jsonSchemaOf(documented(v.object({}), { examples: [example] }))).toMatchObject({ examples: [example] });
  });
});
