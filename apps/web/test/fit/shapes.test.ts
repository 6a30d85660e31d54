import { expect, test } from 'bun:test';
import { TARGET_NAMES } from '@postshelf/domain/readiness';
import { acceptedRatio, CENTRE, focusOf, middleOf, partOf, shapesFor, takesShape } from '../../src/fit/shapes.ts';

test.each([
  ['the whole image', { width: 1000, height: 500 }, null, 1, CENTRE, { x: 0, y: 0, width: 1, height: 1 }],
  ['a square in the middle', { width: 1000, height: 500 }, 1, 1, CENTRE, { x: 0.25, y: 0, width: 0.5, height: 1 }],
  ['a square at the left', { width: 1000, height: 500 }, 1, 1, { x: 0, y: 0 }, { x: 0, y: 0, width: 0.5, height: 1 }],
  ['a zoomed part', { width: 500, height: 1000 }, 2, 2, CENTRE, { x: 0.25, y: 0.4375, width: 0.5, height: 0.125 }],
])('partOf returns %s', (_, size, ratio, zoom, at, part) => {
  expect(partOf(size, ratio, zoom, at)).toEqual(part);
});

const SIDES = [1, 7, 480, 1080, 9999];
const PLACES = [0, 0.1, 0.5, 0.93, 1];

test('a crop lies within the image, has the requested ratio, and can be recomputed from its centre', () => {
  const all = SIDES.flatMap((width) => SIDES.map((height) => ({ width, height })));
  for (const size of all)
    for (const ratio of [null, 1, 0.8, 9 / 16, 1.91])
      for (const zoom of [1, 1.35, 4])
        for (const [at, x] of PLACES.entries()) {
          const part = partOf(size, ratio, zoom, { x, y: PLACES[(at * 2) % PLACES.length] ?? 0 });
          expect(Math.min(part.x, part.y)).toBeGreaterThanOrEqual(0);
          expect(Math.max(part.x + part.width, part.y + part.height)).toBeLessThan(1 + 1e-9);
          expect((part.width * size.width) / (part.height * size.height)).toBeCloseTo(
            ratio ?? size.width / size.height,
            6,
          );
          const again = partOf(size, ratio, zoom, middleOf(part));
          expect([again.x, again.y].map((one) => one.toFixed(9))).toEqual(
            [part.x, part.y].map((one) => one.toFixed(9)),
          );
        }
});

test.each([
  ['both axes', { x: 0, y: 0.1, width: 0.4, height: 0.6 }, { x: 0.2, y: 0.4 }],
  ['one axis', { x: 0.25, y: 0, width: 0.75, height: 1 }, { x: 0.625, y: 0.3 }],
  ['no axis', { x: 0, y: 0, width: 1, height: 1 }, { x: 0.7, y: 0.3 }],
])('the focal point follows the crop along %s', (_, part, focus) => {
  expect(focusOf(part, { x: 0.7, y: 0.3 })).toEqual(focus);
});

test('every target accepts the first shape that is offered for it', () => {
  for (const target of TARGET_NAMES) {
    const [whole, first] = shapesFor([target]);
    expect([target, whole?.ratio]).toEqual([target, null]);
    for (const kind of ['image', 'video'] as const)
      expect([target, kind, takesShape(target, kind, { width: first?.ratio ?? 0, height: 1 })]).toEqual([
        target,
        kind,
        true,
      ]);
  }
  expect(shapesFor(['instagram.feed', 'instagram.story', 'facebook.post']).map(({ label }) => label)).toEqual([
    'Whole image',
    'Portrait 4:5',
    'Square 1:1',
    'Banner 1.91:1',
    'Upright 9:16',
  ]);
});

test('acceptedRatio returns the nearest ratio that a target accepts', () => {
  expect(acceptedRatio('instagram.feed', 'image', { width: 1000, height: 2000 })).toBe(0.8);
  expect(acceptedRatio('instagram.feed', 'video', { width: 1000, height: 2000 })).toBe(0.5);
  expect(takesShape('instagram.feed', 'image', { width: 100, height: 100 })).toBe(true);
});
