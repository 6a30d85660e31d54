import { expect, test } from 'bun:test';
import { checkReadiness, TARGETS, takesKind } from '../../src/index.ts';
import { image, video } from './items.ts';

test('only reels and YouTube targets accept videos but no images', () => {
  const only = TARGETS.filter((target) => !takesKind(target, 'image')).map(({ target }) => target);
  expect(only).toEqual(['instagram.reel', 'facebook.reel', 'youtube.video', 'youtube.short']);
  expect(TARGETS.filter((target) => !takesKind(target, 'video'))).toEqual([]);
});

test('a target that takes no images refuses every image', () => {
  for (const target of TARGETS.filter((one) => !takesKind(one, 'image')))
    for (const type of ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const)
      expect([target.target, type, checkReadiness(target, [image({ type })]).verdict]).toEqual([
        target.target,
        type,
        'not_ready',
      ]);
});

test('a target accepts some file of each kind that it takes', () => {
  const square = { width: 1080, height: 1080 };
  const upright = { width: 1080, height: 1920 };
  for (const target of TARGETS) {
    const images = [image({ ...square, type: 'image/jpeg' }), image({ ...upright, type: 'image/jpeg' })];
    const videos = [video(square), video(upright)];
    for (const [kind, items] of [
      ['image', images],
      ['video', videos],
    ] as const)
      if (takesKind(target, kind))
        expect([
          target.target,
          kind,
          items.some((item) => checkReadiness(target, [item]).verdict !== 'not_ready'),
        ]).toEqual([target.target, kind, true]);
  }
});
