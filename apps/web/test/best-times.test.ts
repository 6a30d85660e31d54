import { describe, expect, test } from 'bun:test';
import { distanceFrom100, intervalOf } from '../src/best-times/scores.ts';
import { isStrong, moveBy, nameOfCell, strengthOf } from '../src/best-times/week.ts';

describe('an hour of the week', () => {
  test.each([
    ['Tuesday', 18, { value: 137.4, posts: 12 }, 'Tuesday 18:00: 137, 12 posts'],
    ['Monday', 0, { value: 99.5, posts: 1 }, 'Monday 00:00: 100, 1 post'],
    ['Sunday', 9, { value: 100, posts: 0 }, 'Sunday 09:00: 100, 0 posts'],
    ['Friday', 23, { value: 212, posts: 12_345 }, 'Friday 23:00: 212, 12,345 posts'],
  ] as const)('the cell of %s %d has a readable name', (day, hour, cell, name) => {
    expect(nameOfCell(day, hour, cell)).toBe(name);
  });

  test.each([
    [100, 0, false],
    [122, 0.489, false],
    [123, 0.511, true],
    [145, 1, true],
    [900, 1, true],
    [78, -0.489, false],
    [77, -0.511, true],
    [0, -1, true],
  ])('the value %d has the strength %d, and its cell shows the number: %p', (value, strength, strong) => {
    expect(strengthOf(value)).toBeCloseTo(strength, 3);
    expect(isStrong(value)).toBe(strong);
  });
});

describe('a score in words', () => {
  test.each([
    [160.4, 'about 60 % above your average'],
    [100.4, 'about your average'],
    [88, 'about 12 % below your average'],
  ])('%d is %s', (score, words) => {
    expect(distanceFrom100(score)).toBe(words);
  });

  test.each([
    [110, 160, 'between 10 % and 60 % above your average.'],
    [90, 160, 'between 10 % below and 60 % above your average.'],
    [70, 95, 'between 30 % and 5 % below your average.'],
  ])('an interval from %d to %d is %s', (low, high, words) => {
    expect(intervalOf({ score: 120, low, high })).toBe(`With 90 % certainty ${words}`);
  });
});

describe('keys in a table of 7 rows and 24 columns', () => {
  test.each([
    ['ArrowRight', 1, 5, [1, 6]],
    ['ArrowRight', 1, 23, [1, 23]],
    ['ArrowLeft', 1, 0, [1, 0]],
    ['ArrowUp', 0, 5, [0, 5]],
    ['ArrowDown', 5, 5, [6, 5]],
    ['ArrowDown', 6, 5, [6, 5]],
    ['Home', 2, 5, [2, 0]],
    ['End', 2, 5, [2, 23]],
    ['Enter', 2, 5, null],
    ['a', 2, 5, null],
  ] as const)('%s in row %d, column %d moves to row and column %j', (key, row, column, to) => {
    const led = moveBy(key, { row, column }, { rows: 7, columns: 24 });
    expect(led && [led.row, led.column]).toEqual(to && [...to]);
  });
});
