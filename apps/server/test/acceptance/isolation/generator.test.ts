import { describe, expect, test } from 'bun:test';
import { operations } from '../support/contract.ts';
import { bodyIds, exampleOf } from './support/example.ts';
import { kindOf } from './support/kinds.ts';
import { operatorShapes, shapes } from './support/requests.ts';

const PLACE = 'POST /workspaces/{workspace}/campaigns';
const values = { id: (path: readonly (string | number)[]) => path.join('/'), url: 'https://example.com/' };

describe('the isolation tests', () => {
  test('attack every operation of the document that requires a token', () => {
    const closed = operations.filter(({ isOpen }) => !isOpen).map(({ place }) => place);
    expect(operations.length - closed.length).toBe(3);
    expect([...new Set([...shapes, ...operatorShapes].map(({ place }) => place))].sort()).toEqual(closed.sort());
    expect(shapes.length + operatorShapes.length).toBeGreaterThan(operations.length);
  });

  test('attack every id in a body at any depth, and the first two ids of a list', () => {
    const id = { type: ['string', 'null'], format: 'uuid' };
    const schema = {
      type: 'object',
      required: ['profile'],
      properties: {
        profile: id,
        media_content_ids: { type: 'array', items: id },
        parts: { type: 'array', items: { type: 'object', properties: { folder_id: id, name: { type: 'string' } } } },
      },
    };
    expect(bodyIds(PLACE, schema)).toEqual([
      { path: ['media_content_ids', 0], kind: 'media', isRequired: false },
      { path: ['media_content_ids', 1], kind: 'media', isRequired: false },
      { path: ['parts', 0, 'folder_id'], kind: 'folder', isRequired: false },
      { path: ['profile'], kind: 'profile', isRequired: true },
    ]);
    expect(exampleOf(PLACE, schema, [['parts', 0, 'folder_id']], values)).toEqual({
      parts: [{ folder_id: 'parts/0/folder_id' }],
      profile: 'profile',
    });
  });
});

describe('the isolation tests fail and name the operation for', () => {
  test('an id of an unknown kind, or a string that may be an id', () => {
    for (const schema of [{ format: 'uuid' }, {}])
      expect(() => kindOf(PLACE, 'campaign_id', schema)).toThrow(`${PLACE} takes "campaign_id"`);
    expect(() => kindOf('GET /campaigns/{id}', 'id', { format: 'uuid' }, 'campaigns')).toThrow('GET /campaigns/{id}');
  });

  test('a required field without an example', () => {
    const schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    expect(() => exampleOf(PLACE, schema, [], values)).toThrow(`${PLACE} requires "name"`);
  });
});
