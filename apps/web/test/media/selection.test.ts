import { expect, test } from 'bun:test';
import type { MediaItem } from '@postshelf/client';
import { summaryOf } from '../../src/media/selection/outcomes.ts';
import { readTags, withoutTags, withTags } from '../../src/media/selection/tags.ts';

const item = (id: string) => ({ id, name: id, status: 'active' }) as unknown as MediaItem;

test('tags are added and removed regardless of case', () => {
  expect(readTags(' Sea, sea ,,Summer\nDawn')).toEqual(['Sea', 'Summer', 'Dawn']);
  expect(withTags(['Sea'], ['sea', 'sun'])).toEqual(['Sea', 'sun']);
  expect(withoutTags(['Sea', 'sun'], ['SEA'])).toEqual(['sun']);
});

test.each([
  [[null, null], '2 items were moved.'],
  [[null, 'In use.'], '1 item was moved. 1 item wasn’t moved. b: In use.'],
  [['Gone.', 'In use.'], '2 items weren’t moved. a: Gone. b: In use.'],
  [['In use.', 'In use.', 'In use.'], '3 items weren’t moved. a and 2 others: In use.'],
])('the outcomes %j are summed up as "%s"', (refusals, text) => {
  const outcomes = refusals.map((refusal, at) => ({ item: item('abc'[at] ?? ''), refusal }));
  expect(summaryOf(outcomes, 'moved')).toBe(text);
});
