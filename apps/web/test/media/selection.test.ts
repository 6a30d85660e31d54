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
  ['2 items were moved.', [null, null]],
  ['1 item was moved. 1 item wasn’t moved. b: In use.', [null, 'In use.']],
  ['2 items weren’t moved. a: Gone. b: In use.', ['Gone.', 'In use.']],
  ['3 items weren’t moved. a and 2 others: In use.', ['In use.', 'In use.', 'In use.']],
])('outcomes are summed up as "%s"', (text, refusals) => {
  const outcomes = refusals.map((refusal, at) => ({ item: item('abc'[at] ?? ''), refusal }));
  expect(summaryOf(outcomes, 'moved')).toBe(text);
});
