import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { JustifiedLayout, type JustifiedOptions } from '../../src/ui/justified-layout.ts';
import { visibleRange } from '../../src/ui/row-layout.ts';

const GAP = 16;
const CAPTION = 40;
const HEADING = 30;

const layoutOf = (aspects: readonly number[], more: Partial<JustifiedOptions> = {}) =>
  new JustifiedLayout({
    size: aspects.length,
    aspectAt: (index) => aspects[index] ?? 1,
    startsSection: () => false,
    width: 1000,
    target: 200,
    gap: GAP,
    caption: CAPTION,
    heading: HEADING,
    ...more,
  });

const areasOf = (layout: JustifiedLayout, size: number) => Array.from({ length: size }, (_, at) => layout.areaOf(at));

describe('justified lines of images', () => {
  test('do not squeeze a wide image into a line with five squares, and do not enlarge the last image', () => {
    const layout = layoutOf([1, 1, 1, 1, 1, 3, 2, 1]);
    expect(areasOf(layout, 8).map(({ x, y, width, height }) => [x, y, width, height - CAPTION])).toEqual([
      [0, 0, 187, 187],
      [203, 0, 187, 187],
      [406, 0, 188, 187],
      [610, 0, 187, 187],
      [813, 0, 187, 187],
      [0, 243, 590, 197],
      [606, 243, 394, 197],
      [0, 496, 200, 200],
    ]);
    expect(layout.height).toBe(736);
  });

  test('start a new line below the heading of each section', () => {
    const layout = layoutOf([1, 1, 1], { startsSection: (index) => index !== 1 });
    expect(areasOf(layout, 3).map(({ x, y }) => [x, y])).toEqual([
      [0, HEADING],
      [216, HEADING],
      [0, HEADING + 200 + CAPTION + GAP + HEADING],
    ]);
  });

  test('crop very wide and very narrow images', () => {
    const [wide, narrow] = areasOf(layoutOf([20, 0.05]), 2);
    expect([wide?.width, narrow?.width]).toEqual([600, 100]);
  });

  test('keep a positive height in a list of width 0', () => {
    expect(areasOf(layoutOf([1, 1], { width: 0 }), 2).every(({ height }) => height > CAPTION)).toBe(true);
  });
});

const aspects = fc.array(fc.double({ min: 0.2, max: 5, noNaN: true }), { minLength: 1, maxLength: 200 });
const options = fc.record({ width: fc.integer({ min: 320, max: 2400 }), target: fc.integer({ min: 96, max: 360 }) });

test('justified lines follow each other without overlap, fill the width and are never much too high', () => {
  fc.assert(
    fc.property(aspects, options, (shapes, { width, target }) => {
      const layout = layoutOf(shapes, { width, target });
      for (let from = 0; from < shapes.length; from = layout.nextLine(from)) {
        const end = layout.nextLine(from);
        const line = areasOf(layout, shapes.length).slice(from, end);
        expect(line.every(({ y, height }) => y === line[0]?.y && height === line[0]?.height)).toBe(true);
        line.forEach(({ x }, at) => {
          const before = line[at - 1];
          expect(x).toBe(before ? before.x + before.width + GAP : 0);
        });
        const last = line.at(-1);
        if (end < shapes.length) {
          expect((last?.x ?? 0) + (last?.width ?? 0)).toBeWithin(width - 1, width + 1);
          expect(layout.areaOf(end).y).toBe((last?.y ?? 0) + (last?.height ?? 0) + GAP);
        }
        expect((last?.height ?? 0) - CAPTION).toBeLessThanOrEqual(Math.ceil(target * 2.4));
      }
    }),
  );
});

test('an image whose shape becomes known moves no image in the lines above', () => {
  fc.assert(
    fc.property(aspects, fc.nat(), (shapes, nth) => {
      const at = nth % shapes.length;
      const [before, after] = [layoutOf(shapes), layoutOf(shapes.with(at, 2.2))];
      const unmoved = shapes.findIndex((_, index) => layoutOf(shapes).nextLine(index) > at - 1);
      expect(areasOf(after, Math.max(0, unmoved))).toEqual(areasOf(before, Math.max(0, unmoved)));
    }),
  );
});

test('moving down or up leads to the nearest image in the next or previous line', () => {
  const layout = layoutOf([1, 1, 1, 1, 1, 3, 2, 1]);
  expect([0, 3, 4, 5].map((index) => layout.beside(index, 1))).toEqual([5, 6, 6, 7]);
  expect([4, 5, 6, 7].map((index) => layout.beside(index, -1))).toEqual([null, 1, 3, 5]);
});

test('the rendered range covers the visible rows and a limited number of rows around them', () => {
  const layout = layoutOf(Array.from({ length: 10_000 }, () => 1));
  // Each line has five items and is 243 pixels high. The visible part is from 2000 to 2800 pixels, so the range covers
  // 1200 to 3600.
  expect(visibleRange(layout, 10_000, 2000, 800)).toEqual({ from: 20, to: 75 });
  expect(visibleRange(layout, 10_000, 2000, 800, true)).toEqual({ from: 30, to: 70 });
  expect(visibleRange(layout, 10_000, -200, 800)).toEqual({ from: 0, to: 30 });
  const { from, to } = visibleRange(layout, 10_000, 100_000, 12_000);
  expect(to - from).toBeWithin(240, 361);
  expect(visibleRange(layoutOf([]), 0, 0, 800)).toEqual({ from: 0, to: 0 });
});
