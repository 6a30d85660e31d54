import { describe, expect, test } from 'bun:test';
import { NO_METRICS, type PostDetails, postOfDetails, withEdit } from '../../src/index.ts';
import { uuid } from '../support/arbitraries.ts';

const id = (last: number) => uuid(`00000000-0000-7000-8000-00000000000${last}`);

const DETAILS: PostDetails = {
  id: id(1),
  workspaceId: id(2),
  profileId: id(3),
  externalId: 'external',
  publishedAt: 5,
};
const FULL: PostDetails = { ...DETAILS, text: 'text', mediaIds: [id(4), id(5)], metrics: { likes: 2 } };

test('fields omitted from a new post are empty', () => {
  const post = { ...DETAILS, text: null, mediaIds: [], metrics: NO_METRICS, version: 1, createdAt: 10, updatedAt: 10 };
  expect(postOfDetails(DETAILS, 10)).toEqual(post);
  expect(postOfDetails(FULL, 10)).toEqual({
    ...post,
    text: 'text',
    mediaIds: [id(4), id(5)],
    metrics: { ...NO_METRICS, likes: 2 },
  });
});

describe('an existing post', () => {
  const post = postOfDetails(FULL, 10);

  test.each<[string, Partial<PostDetails>]>([
    ['no further details', {}],
    ['the same text', { text: 'text' }],
    ['the same media', { mediaIds: [id(4), id(5)] }],
    ['the same metrics', { metrics: { likes: 2, shares: 0 } }],
    ['another id', { id: id(9) }],
  ])('is unchanged by %s', (_, details) => {
    expect(withEdit(post, { ...DETAILS, ...details }, 20)).toBe(post);
  });

  test.each<[string, Partial<PostDetails>, object]>([
    ['another time', { publishedAt: 6 }, { publishedAt: 6 }],
    ['no text', { text: null }, { text: null }],
    ['the same media in another order', { mediaIds: [id(5), id(4)] }, { mediaIds: [id(5), id(4)] }],
    ['no media', { mediaIds: [] }, { mediaIds: [] }],
    ['another external id', { externalId: 'other' }, { externalId: 'other' }],
    ['another metric', { metrics: { shares: 1 } }, { metrics: { ...NO_METRICS, likes: 2, shares: 1 } }],
  ])('is changed by %s, and keeps the rest', (_, details, change) => {
    expect(withEdit(post, { ...DETAILS, ...details }, 20)).toEqual({
      ...post,
      ...change,
      version: 2,
      updatedAt: 20,
    });
  });
});
