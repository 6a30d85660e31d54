import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { busiestDayWith, checkReadiness, countedWindow, findTarget } from '../../src/index.ts';
import { image, video } from './items.ts';

const HOUR = 60 * 60 * 1000;
const AT = Date.parse('2026-03-29T12:00:00Z');

const hours = (...all: readonly number[]): readonly number[] => all.map((hour) => AT + hour * HOUR);

describe('the busiest 24 hours around a new post', () => {
  test.each<[string, readonly number[], number]>([
    ['contain only the new post', [], 1],
    ['include posts at the same moment', [0, 0], 3],
    ['include posts almost a day before', [-23.99], 2],
    ['end after 24 hours, so a post a day earlier or later does not count', [-24, 24], 1],
    ["don't span the 48 hours around it", [-20, -10, 10, 20], 3],
    ['may begin with the new post', [-23, 1, 2, 3], 4],
    ['may end with the new post', [-3, -2, -1, 23.5], 4],
  ])('%s', (_, offsets, max) => {
    expect(busiestDayWith(hours(...offsets), AT)).toBe(max);
  });

  test('contain as many posts as the fullest window that includes the new post', () => {
    const times = fc.array(fc.integer({ min: -30 * 4, max: 30 * 4 }), { maxLength: 60 });
    fc.assert(
      fc.property(times, (quarters) => {
        const all = quarters.map((quarter) => AT + (quarter * HOUR) / 4);
        const starts = Array.from({ length: 24 * 4 }, (_, quarter) => AT - (quarter * HOUR) / 4);
        const counts = starts.map((start) => all.filter((at) => at >= start && at < start + 24 * HOUR).length + 1);
        expect(busiestDayWith(all, AT)).toBe(Math.max(...counts));
      }),
    );
  });

  test('lie between 24 hours before and 24 hours after the post, both excluded', () => {
    expect(countedWindow(AT)).toEqual({ from: AT - 24 * HOUR + 1, to: AT + 24 * HOUR - 1 });
  });
});

describe('posts within 24 hours', () => {
  const problemsOf = (name: string, postsPerDay: number | null) => {
    const target = findTarget(name);
    if (!target) throw new Error(name);
    const item = name.endsWith('reel') ? video() : image();
    return checkReadiness(target, [item], { postsPerDay }).problems;
  };

  test.each([
    ['instagram.feed', 50, null],
    ['instagram.feed', 51, 'warning'],
    ['instagram.feed', 101, 'error'],
    ['threads.post', 250, null],
    ['threads.post', 251, 'error'],
    ['facebook.reel', 31, 'warning'],
    ['facebook.post', 1000, null],
    ['tiktok.post', 16, 'warning'],
    ['x.post', 51, 'warning'],
    ['x.post', 2401, 'error'],
  ])('to %s: %d posts give %p', (name, posts, severity) => {
    const found = problemsOf(name, posts).filter(({ rule }) => rule === `${name}.posts_per_day`);
    expect(found.map((problem) => problem.severity)).toEqual(severity === null ? [] : [severity as 'error']);
    for (const problem of found) expect(problem).toMatchObject({ mediaContentId: null, actual: posts, unit: 'posts' });
  });

  test('cause no problem if their number is unknown', () => {
    expect(problemsOf('instagram.feed', null)).toEqual([]);
  });
});
