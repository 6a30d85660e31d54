import { expect, test } from 'bun:test';
import { nameComponents } from '../../../src/faces/openapi/components.ts';
import type { Document } from '../../../src/faces/openapi/document-shape.ts';
import type { JsonSchema } from '../../../src/faces/openapi/json-schema.ts';

const said = { operationId: 'o', summary: 'O', description: 'O.', tags: [], security: [], 'x-scope': 'media:read' };

/** Returns a document with one operation per schema, which describes the operation's answer. */
function documentWith(...schemas: readonly JsonSchema[]): Document {
  const operations = schemas.map((schema, index) => {
    const responses = { 200: { description: 'OK.', content: { 'application/json': { schema } } } };
    return [`/${index}`, { get: { ...said, responses } }] as const;
  });
  return {
    openapi: '3.1.0',
    info: {},
    servers: [],
    paths: Object.fromEntries(operations),
    components: { securitySchemes: {} },
  };
}

const item = (more: JsonSchema = {}) => ({
  type: 'object',
  title: 'Item',
  properties: { id: { type: 'string' } },
  ...more,
});
const reference = { $ref: '#/components/schemas/Item' };

test('a schema with a title becomes one component, wherever it is used', () => {
  const { paths, components } = nameComponents(documentWith(item(), { type: 'array', items: item() }));
  expect(components.schemas).toEqual({ Item: item() });
  expect(JSON.stringify(paths)).toContain(JSON.stringify({ type: 'array', items: reference }));
  expect(JSON.stringify(paths)).not.toContain('"title"');
});

test('a schema nested in another of the same title refers to it', () => {
  const { components } = nameComponents(documentWith(item({ properties: { cover: item() } })));
  expect(components.schemas).toEqual({ Item: item({ properties: { cover: reference } }) });
});

test('different schemas must not share a title', () => {
  expect(() => nameComponents(documentWith(item(), item({ properties: {} })))).toThrow('Item');
});

test('neither a property named title nor an example becomes a component', () => {
  const schema = { type: 'object', properties: { title: { type: 'string' } }, examples: [item()] };
  const { components, paths } = nameComponents(documentWith(schema));
  expect(components.schemas).toEqual({});
  expect(JSON.stringify(paths)).toContain(JSON.stringify(schema));
});
