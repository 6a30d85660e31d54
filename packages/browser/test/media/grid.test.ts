import { describe, expect, test } from 'bun:test';
import type { MediaItem } from '@postshelf/client';
import { formatDuration, previewOf } from '../../src/media/media-facts.ts';
import { MediaRows } from '../../src/media/media-rows.ts';
import { heightOf, leftOf, shapeOf, topOf, visibleRange } from '../../src/ui/grid-layout.ts';

const item = (id: string, more: object = {}) => ({ id, name: id, status: 'active', ...more }) as unknown as MediaItem;

describe('rows of a list of which some pages have been read', () => {
  const first = [item('a'), item('b')];
  const third = [item('y'), item('a'), item('z', { status: 'failed' })];
  // The third page was read last, so item `a`, which is on both, is only shown there.
  const rows = new MediaRows(203, [
    [3, third],
    [1, first],
  ]);
  test.each([
    [0, 'unread:0', ''],
    [1, 'b', 'b'],
    [150, 'unread:150', ''],
    [201, 'a', 'a'],
    [202, 'z', 'z, failed'],
  ])('row %i has the key %s and the name "%s"', (index, key, name) => {
    expect([rows.keyAt(index), rows.nameAt(index), rows.indexOf(key)]).toEqual([key, name, index]);
  });
  test('finds a row by the key of its position even after it was read, and none beyond the end', () => {
    expect(['unread:201', 'unread:203', 'none'].map((key) => rows.indexOf(key))).toEqual([201, -1, -1]);
  });
});

describe('the layout of tiles', () => {
  test.each([
    [344, 3, 109],
    [559, 5, 105],
    [560, 3, 176],
    [1160, 6, 180],
    [100, 2, 46],
  ])('a width of %i pixels has %i columns of %i pixels', (width, columns, tile) => {
    expect(shapeOf(width)).toMatchObject({ columns, tile });
  });
  test('has the visible rows, and those near them, in the document', () => {
    const shape = { columns: 4, tile: 180, gap: 16, rowHeight: 242 };
    expect([topOf(shape, 9), leftOf(shape, 9), heightOf(shape, 9), heightOf(shape, 0)]).toEqual([484, 196, 710, 0]);
    expect(visibleRange(shape, 10_000, 2420, 800)).toEqual({ from: 32, to: 64 });
    expect(visibleRange(shape, 10, 0, 800)).toEqual({ from: 0, to: 10 });
  });
});

test.each([
  [0.4, '0:00'],
  [59.6, '1:00'],
  [725, '12:05'],
  [3723, '1:02:03'],
])('%f seconds are shown as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test.each([
  [180, 1, '320'],
  [300, 1, '320'],
  [214, 3, '320'],
  [400, 2, '640'],
  [1000, 2, '640'],
])('a tile of %i pixels at a pixel ratio of %i shows the preview that is %s pixels wide', (tile, ratio, link) => {
  const previews = [160, 320, 640].map((width) => ({ width, height: width, link: String(width) }));
  expect(previewOf(item('a', { details: { previews } }), tile, ratio)).toBe(link);
});
