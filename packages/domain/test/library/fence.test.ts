import { describe, expect, test } from 'bun:test';
import { type FenceFacts, type FenceProblem, judgeFence } from '@postshelf/domain';

const mark = { library: null, generation: 2, restoring: null };
const fence = { current: 'b', previous: 'a', movedTo: null };
const library = { generation: 2 };
const copy: FenceProblem = { reason: 'copy' };
const moved: FenceProblem = { reason: 'moved', to: 'there' };

const CASES: readonly (readonly [string, FenceFacts, FenceProblem | null])[] = [
  ['the current fence', { library, fence, mark: { ...mark, fence: 'b' } }, null],
  ['the previous one', { library, fence, mark: { ...mark, fence: 'a' } }, null],
  ['another one', { library, fence, mark: { ...mark, fence: 'c' } }, copy],
  [
    'one beside a database that has none',
    { library, fence: { ...fence, current: null, previous: null }, mark: { ...mark, fence: 'c' } },
    copy,
  ],
  ['none, of a program of before', { library, fence, mark }, null],
  ['none, raised by a program of before in a newer database', { library: { generation: 1 }, fence, mark }, copy],
  ['none, before it was raised in the mark', { library: { generation: 3 }, fence, mark }, null],
  ['one that says where it went', { library, fence, mark: { ...mark, fence: 'b', movedTo: 'there' } }, moved],
  [
    'the current fence, beside a database that was copied',
    { library, fence: { ...fence, movedTo: 'there' }, mark: { ...mark, fence: 'b' } },
    moved,
  ],
];

describe('a database beside a mark with', () => {
  test.each(CASES)('%s', (_, facts, problem) => {
    expect(judgeFence(facts)).toEqual(problem);
  });
});
