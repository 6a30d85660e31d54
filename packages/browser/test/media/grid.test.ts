import { describe, expect, test } from 'bun:test';
import type { MediaItem } from '@postshelf/client';
import { formatDuration, previewOf } from '../../src/media/media-facts.ts';
import { MediaRows } from '../../src/media/media-rows.ts';
import { KnownShapes, TileLayout } from '../../src/media/tile-layout.ts';

const item = (id: string, more: object = {}) => ({ id, name: id, status: 'active', ...more }) as unknown as MediaItem;

describe('rows of a partly loaded list', () => {
  const first = [item('a'), item('b')];
  const third = [item('y'), item('a'), item('z', { status: 'failed' })];
  // The third page was read last. Item `a`, which is on two pages, is shown only there.
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
  ])('at index %i have the key %s and the name "%s"', (index, key, name) => {
    expect([rows.keyAt(index), rows.nameAt(index), rows.indexOf(key)]).toEqual([key, name, index]);
  });
  test('are still found by the key that they had before they were loaded, except beyond the end', () => {
    expect(['unread:201', 'unread:203', 'none'].map((key) => rows.indexOf(key))).toEqual([201, -1, -1]);
  });
});

describe('tiles', () => {
  const shaped = (id: string, width: number | null, created: string) =>
    item(id, { width, height: width && 100, details: { created_at: created } });
  const sectionOf = ({ details }: MediaItem): string => details?.created_at ?? '';
  const page = [shaped('a', 200, 'May'), shaped('b', null, 'May'), shaped('c', 100, 'April')];

  test('have the shapes of their items, and headings where the date changes', () => {
    const layout = TileLayout.of(new MediaRows(3, [[1, page]]), 1000, new KnownShapes(), { height: 100, sectionOf });
    const areas = [0, 1, 2].map((index) => layout.areaOf(index));
    expect(areas.map(({ width, heading }) => [width, heading])).toEqual([
      [200, 'May'],
      [100, null],
      [100, 'April'],
    ]);
  });

  test('keep their positions when their page is no longer loaded', () => {
    const known = new KnownShapes();
    const before = TileLayout.of(new MediaRows(3, [[1, page]]), 1000, known, { height: 100, sectionOf });
    const after = TileLayout.of(new MediaRows(3, []), 1000, known, { height: 100, sectionOf });
    expect([0, 1, 2].map((index) => after.areaOf(index))).toEqual([0, 1, 2].map((index) => before.areaOf(index)));
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
