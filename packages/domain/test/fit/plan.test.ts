import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { predict } from '../../src/fit/plan.ts';
import {
  type FitAttempt,
  type FitCrop,
  type FitPlan,
  findTarget,
  type ItemFacts,
  isPart,
  judgeFitted,
  type MediaType,
  planFit,
  TARGET_NAMES,
  type Target,
} from '../../src/index.ts';
import { checkReadiness } from '../../src/readiness/check.ts';

const targetOf = (name: string): Target => {
  const target = findTarget(name);
  if (!target) throw new Error(`There is no target ${name}`);
  return target;
};

const image = (
  type: MediaType,
  width: number,
  height: number,
  frames: number | null = 1,
  hasAlpha = false,
): ItemFacts => ({
  ...{ type, width, height, size: 3_000_000, time: null },
  details: { image: { frames, hasAlpha }, video: null },
});

const video = (width: number, height: number, seconds: number, frameRate: number | null = 30): ItemFacts => ({
  ...{ type: 'video/quicktime', width, height, size: 3_000_000, time: Math.max(1, Math.round(seconds)) },
  details: {
    image: null,
    video: {
      ...{ codec: 'hevc', durationMs: Math.round(seconds * 1000), frameRate, bitrate: 90_000_000, chroma: '4:2:2' },
      ...{ rotation: 90, moovFirst: false, editList: true, hdr: null },
      audio: { codec: 'mp3', sampleRate: 96_000, channels: 6 },
    },
  },
});

const planOf = (name: string, item: ItemFacts, how: 'pad' | 'crop' = 'pad'): FitPlan => {
  const plan = planFit(targetOf(name), item, how);
  if ('reason' in plan) throw new Error(plan.reason);
  return plan;
};
const reasonOf = (name: string, item: ItemFacts): string => {
  const plan = planFit(targetOf(name), item, 'pad');
  return 'reason' in plan ? plan.reason : 'none';
};
const sizes = ({ attempts }: FitPlan): readonly string[] => attempts.map(({ width, height }) => `${width}x${height}`);

const side = fc.integer({ min: 1, max: 9_000 });
const anyImage = fc
  .tuple(fc.constantFrom('image/jpeg', 'image/png', 'image/webp', 'image/gif'), side, side, fc.boolean())
  .map(([type, width, height, hasAlpha]) => image(type as MediaType, width, height, 1, hasAlpha));
const anyVideo = fc
  .tuple(
    side,
    side,
    fc.oneof(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: 1, max: 4_000_000 })),
    fc.option(fc.double({ min: 0.01, max: 1000, noNaN: true })),
  )
  .map(([width, height, milliseconds, rate]) => video(width, height, milliseconds / 1000, rate));

const fraction = fc.double({ min: 0.001, max: 1, noNaN: true });
const anyPart = fc
  .tuple(fraction, fraction, fraction, fraction)
  .map(([x, y, width, height]) => ({ x: x * (1 - width), y: y * (1 - height), width, height }));

test('isPart accepts only regions that lie within the image and are not empty', () => {
  fc.assert(fc.property(anyPart, isPart));
  for (const wrong of [{ x: -0.1 }, { y: 0.2 }, { width: 0 }, { height: 1.1 }, { x: 0.9, width: 0.2 }])
    expect([wrong, isPart({ x: 0, y: 0, width: 1, height: 1, ...wrong })]).toEqual([wrong, false]);
});

describe.each([...TARGET_NAMES])('the plan for %s', (name) => {
  test('satisfies all rules of the target, whatever the original', () => {
    const target = targetOf(name);
    const how = fc.constantFrom('pad' as const, 'crop' as const);
    let planned = 0;
    fc.assert(
      fc.property(fc.oneof(anyImage, anyVideo), how, fc.option(anyPart), (item, chosen, part) => {
        const plan = planFit(target, item, chosen, part);
        if ('reason' in plan) return plan.reason !== '';
        planned += 1;
        return plan.attempts.every((attempt) => {
          const { verdict, problems } = checkReadiness(target, [{ id: null, ...predict(item, attempt) }]);
          const isEven = attempt.type !== 'video/mp4' || (attempt.width % 2 === 0 && attempt.height % 2 === 0);
          // Problems are allowed if a property is unknown, or if the rule is about the recommended duration or the
          // minimum number of items.
          const rest = problems.filter(
            ({ rule, actual }) => actual !== null && !/\.(?:duration\.max|duration\.min|count\.min)$/.test(rule),
          );
          return verdict !== 'not_ready' && isEven && rest.length === 0;
        });
      }),
      { numRuns: 150 },
    );
    expect(planned).toBeGreaterThan(5);
  });
});

describe('the canvas', () => {
  test.each<[string, string, 'pad' | 'crop', string, ItemFacts]>([
    ['instagram.feed', 'a JPEG of 1000x2000', 'pad', '1440x1800', image('image/jpeg', 1000, 2000)],
    ['instagram.feed', 'a JPEG of 1000x2000', 'crop', '1000x1250', image('image/jpeg', 1000, 2000)],
    ['instagram.feed', 'a JPEG of 3000x1000', 'crop', '1440x754', image('image/jpeg', 3000, 1000)],
    ['instagram.feed', 'a JPEG of 1200x1200', 'pad', '1200x1200', image('image/jpeg', 1200, 1200)],
    ['facebook.reel', 'a video of 1920x1080', 'pad', '1080x1920', video(1920, 1080, 10)],
    ['facebook.reel', 'a video of 1920x1080', 'crop', '612x1088', video(1920, 1080, 10)],
    ['tiktok.post', 'a WebP of 4000x3000', 'pad', '1662x1247', image('image/webp', 4000, 3000)],
    ['tiktok.post', 'a video of 200x100', 'pad', '720x360', video(200, 100, 10)],
    ['youtube.video', 'a video of 641x361', 'pad', '640x360', video(641, 361, 10)],
  ])('for %s from %s in the mode %s is %s', (name, _, how, size, item) => {
    expect(sizes(planOf(name, item, how))[0]).toBe(size);
  });

  test.each<[string, string, string, ItemFacts, FitCrop]>([
    [
      'instagram.feed',
      'the lower half of a JPEG of 1000x2000',
      '1000x1000',
      image('image/jpeg', 1000, 2000),
      { x: 0, y: 0.5, width: 1, height: 0.5 },
    ],
    [
      'instagram.feed',
      'a part of 400x500 of a JPEG',
      '400x500',
      image('image/jpeg', 1000, 2000),
      { x: 0.2, y: 0, width: 0.4, height: 0.25 },
    ],
    [
      'instagram.feed',
      'a part of 500x2000, which is still too tall,',
      '1440x1800',
      image('image/jpeg', 1000, 2000),
      { x: 0, y: 0, width: 0.5, height: 1 },
    ],
    [
      'facebook.reel',
      'an upright part of a video of 1920x1080',
      '612x1088',
      video(1920, 1080, 10),
      { x: 0.5, y: 0, width: 0.31640625, height: 1 },
    ],
  ])('for %s from %s is %s', (name, _, size, item, part) => {
    const plan = planFit(targetOf(name), item, 'pad', part);
    expect('reason' in plan ? plan.reason : [sizes(plan)[0], plan.crop]).toEqual([size, part]);
  });
});

describe('a plan', () => {
  const types = ({ attempts }: FitPlan): readonly string[] => [...new Set(attempts.map(({ type }) => type))];

  test.each<[string, string, readonly string[], ItemFacts]>([
    ['x.post', 'a JPEG', ['image/jpeg'], image('image/jpeg', 10, 10)],
    ['x.post', 'an opaque PNG', ['image/png', 'image/jpeg'], image('image/png', 10, 10)],
    ['x.post', 'a transparent PNG', ['image/png', 'image/webp'], image('image/png', 10, 10, 1, true)],
    ['pinterest.pin', 'a transparent WebP', ['image/webp'], image('image/webp', 10, 10, 1, true)],
    ['facebook.post', 'a transparent WebP', ['image/png'], image('image/webp', 10, 10, 1, true)],
    ['instagram.feed', 'a transparent PNG', ['image/jpeg'], image('image/png', 10, 10, 1, true)],
    ['tiktok.post', 'an opaque WebP', ['image/webp'], image('image/webp', 400, 400)],
    ['x.post', 'a GIF of one frame', ['image/png', 'image/jpeg'], image('image/gif', 400, 400)],
    ['x.post', 'an animated GIF', ['video/mp4'], image('image/gif', 400, 400, 9)],
    ['instagram.reel', 'a GIF that was not analysed', ['video/mp4'], image('image/gif', 400, 400, null)],
  ])('for %s from %s produces %j', (name, _, made, item) => {
    expect(types(planOf(name, item))).toEqual([...made]);
  });

  test('tries ever smaller files, and none twice', () => {
    const { attempts } = planOf('bluesky.post', image('image/jpeg', 4000, 3000));
    const order = attempts.map(({ width, height, ...rest }) => [width * height, 'quality' in rest ? rest.quality : 0]);
    expect(order).toEqual([...order].sort(([a = 0, x = 0], [b = 0, y = 0]) => b - a || y - x));
    expect(new Set(order.map(String)).size).toBe(order.length);
  });

  test.each<[string, string, number, ItemFacts]>([
    ['facebook.reel', '12 frames', 24, video(1080, 1920, 10, 12)],
    ['facebook.reel', '23.976 frames', 24, video(1080, 1920, 10, 23.976)],
    ['instagram.reel', '120 frames', 60, video(1080, 1920, 10, 120)],
    ['instagram.reel', '29.97 frames', 29.97, video(1080, 1920, 10, 29.97)],
    ['instagram.reel', 'an unknown number of frames', 30, video(1080, 1920, 10, null)],
    ['youtube.video', '7.5 frames', 7.5, video(1080, 1920, 10, 7.5)],
  ])('for %s from a video with %s per second has the frame rate %d', (name, _, rate, item) => {
    expect(planOf(name, item).attempts[0]).toMatchObject({ frameRate: rate });
  });

  test("fits the bit rate to the target's size limit, and reduces dimensions before quality suffers", () => {
    const bitsOf = (attempt: FitAttempt) =>
      attempt.type === 'video/mp4' ? attempt.maxBitrate + attempt.audioBitrate : 0;
    const { attempts } = planOf('google_business.post', video(3840, 2160, 29.5, 60));
    for (const attempt of attempts) expect(bitsOf(attempt) * 29.5).toBeLessThan(75_000_000 * 8);
    const long = planOf('mastodon.post', video(1920, 1080, 1800));
    for (const attempt of long.attempts) expect(bitsOf(attempt) * 1800).toBeLessThan(99 * 1024 ** 2 * 8);
    expect(long.attempts[0].width).toBeLessThan(1280);
  });

  test('has a time limit that depends on its pixels', () => {
    expect(planOf('x.post', image('image/jpeg', 8000, 8000)).maxTimeMs).toBe(120_000);
    expect(planOf('mastodon.post', video(1920, 1080, 100)).maxTimeMs).toBe(
      120_000 + (1920 * 1080 * 2 * 30 * 100) / 16_000,
    );
    expect(planOf('youtube.video', video(1920, 1080, 2300)).maxTimeMs).toBe(2_700_000);
    expect(planOf('x.post', image('image/gif', 100, 100, 16)).maxTimeMs).toBe(120_110);
  });

  test("gives a short video the bit rate that the target's minimum size requires", () => {
    expect(planOf('linkedin.post', video(640, 360, 3)).attempts[0]).toMatchObject({ minBitrate: 333_914 });
    expect(planOf('linkedin.post', video(640, 360, 300)).attempts[0]).toMatchObject({ minBitrate: 0 });
    expect(planOf('x.post', video(640, 360, 3)).attempts[0]).toMatchObject({ minBitrate: 0 });
  });

  test('cuts a video slightly below the maximum length, because the result is one packet longer', () => {
    const end = (seconds: number) => planOf('instagram.story', video(1080, 1920, seconds)).attempts[0];
    expect(end(60)).toMatchObject({ maxDurationMs: 59_940 });
    expect(end(59.9)).toMatchObject({ maxDurationMs: null });
    // The last audio packet of a fragmented MP4 of 60 seconds ends here.
    expect(end(60.023)).toMatchObject({ maxDurationMs: 59_940 });
  });
});

describe('there is no plan', () => {
  test.each<[string, string, ItemFacts, RegExp]>([
    [
      'instagram.story',
      'a video above 60 seconds',
      video(1080, 1920, 60.101),
      /^Videos in an Instagram story must not be longer than 60 seconds\. Trim it\.$/,
    ],
    ['linkedin.post', 'a video below 3 seconds', video(1080, 1920, 2.9), /must not be shorter than 3 seconds/],
    ['instagram.reel', 'an image', image('image/jpeg', 1080, 1920), /needs at least 1 video/],
    ['facebook.reel', 'an image', image('image/jpeg', 1080, 1920), /^Images can’t be published as a Facebook reel\.$/],
    ['x.post', 'an animated WebP', image('image/webp', 100, 100, 4), /^Animated images other than GIFs/],
    ['x.post', 'an image that was not analysed', image('image/png', 100, 100, null), /still being analysed/],
    ['x.post', 'an image above 64 megapixels', image('image/jpeg', 20_000, 3_201), /64 megapixels/],
    ['youtube.video', 'a video with too many frames', video(3840, 2160, 3600), /more frames than can be converted/],
    [
      'mastodon.post',
      'a video too long for the size limit',
      video(320, 240, 4 * 3600, 1),
      /99 MiB\. It is too long for that/,
    ],
  ])('for %s from %s', (name, _, item, reason) => {
    expect(reasonOf(name, item)).toMatch(reason);
  });

  test.each<[string, ItemFacts, ItemFacts]>([
    ['x.post', image('image/jpeg', 20_000, 3_200), image('image/jpeg', 12_800_001, 5)],
    ['youtube.video', video(2000, 1000, 2500), video(2000, 1000, 2500.001)],
  ])('for %s above the conversion limit, but there is one exactly at the limit', (name, max, more) => {
    expect([reasonOf(name, max), reasonOf(name, more)]).toEqual([
      'none',
      expect.stringMatching(/megapixels|more frames/),
    ]);
  });
});

describe('judgeFitted', () => {
  const made = (size: number, width = 1200) => ({ ...image('image/jpeg', width, 1200), size });

  test.each<[string, string, ItemFacts, object]>([
    ['facebook.post', 'accepts a file of exactly the recommended size', made(4_000_000), { kind: 'fits' }],
    [
      'facebook.post',
      'reports as usable a file above the recommended size',
      made(4_000_001),
      { kind: 'too_large', isUsable: true },
    ],
    [
      'facebook.post',
      'reports as unusable a file above the maximum size',
      made(10 * 1024 ** 2 + 1),
      { kind: 'too_large', isUsable: false },
    ],
    [
      'linkedin.post',
      'refuses a file below the minimum size',
      { ...video(100, 100, 10), type: 'video/mp4', size: 74_999 },
      { kind: 'unfit', reason: expect.stringContaining('75 KB') },
    ],
    [
      'instagram.feed',
      'refuses a file that is too tall',
      made(9_000_000, 600),
      { kind: 'unfit', reason: expect.stringContaining('4:5') },
    ],
  ])('for %s %s', (name, _, item, verdict) => {
    expect(judgeFitted(targetOf(name), item)).toMatchObject(verdict);
  });
});
