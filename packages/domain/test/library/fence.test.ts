import { describe, expect, test } from 'bun:test';
import { type FenceFacts, type FenceProblem, judgeFence } from '@postshelf/domain';

const mark = { library: null, generation: 2, restoring: null };
const fence = { current: 'b', previous: 'a', movedTo: null };
const library = { generation: 2 };
const copy: FenceProblem = { reason: 'copy' };
const moved: FenceProblem = { reason: 'moved', to: 'there' };

const CASES: readonly (readonly [string, FenceFacts, FenceProblem | null])[] = [
  ['accepts the current fence', { library, fence, mark: { ...mark, fence: 'b' } }, null],
  ['accepts the previous fence', { library, fence, mark: { ...mark, fence: 'a' } }, null],
  ['takes any other fence for a copy', { library, fence, mark: { ...mark, fence: 'c' } }, copy],
  [
    'takes a fence for a copy if the database has none',
    { library, fence: { ...fence, current: null, previous: null }, mark: { ...mark, fence: 'c' } },
    copy,
  ],
  ['accepts a mark without a fence from an older release', { library, fence, mark }, null],
  [
    'takes a mark without a fence for a copy if its generation is ahead of the database',
    { library: { generation: 1 }, fence, mark },
    copy,
  ],
  [
    'accepts a mark without a fence if its generation is behind the database',
    { library: { generation: 3 }, fence, mark },
    null,
  ],
  [
    'reports the location in a mark that was moved',
    { library, fence, mark: { ...mark, fence: 'b', movedTo: 'there' } },
    moved,
  ],
  [
    'reports the location in a database that was moved',
    { library, fence: { ...fence, movedTo: 'there' }, mark: { ...mark, fence: 'b' } },
    moved,
  ],
];

describe('judgeFence', () => {
  test.each(CASES)('%s', (_, facts, problem) => {
    expect(judgeFence(facts)).toEqual(problem);
  });
});
