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

test('a part lies within the image and is not empty', () => {
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
          // Fitting may leave only problems about unknown properties, the recommended duration and the minimum number
          // of items.
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
  test.each<[string, ItemFacts, 'pad' | 'crop', string]>([
    ['instagram.feed', image('image/jpeg', 1000, 2000), 'pad', '1440x1800'],
    ['instagram.feed', image('image/jpeg', 1000, 2000), 'crop', '1000x1250'],
    ['instagram.feed', image('image/jpeg', 3000, 1000), 'crop', '1440x754'],
    ['instagram.feed', image('image/jpeg', 1200, 1200), 'pad', '1200x1200'],
    ['facebook.reel', video(1920, 1080, 10), 'pad', '1080x1920'],
    ['facebook.reel', video(1920, 1080, 10), 'crop', '612x1088'],
    ['tiktok.post', image('image/webp', 4000, 3000), 'pad', '1662x1247'],
    ['tiktok.post', video(200, 100, 10), 'pad', '720x360'],
    ['youtube.video', video(641, 361, 10), 'pad', '640x360'],
  ])('for %s from %j by %s is %s', (name, item, how, size) => {
    expect(sizes(planOf(name, item, how))[0]).toBe(size);
  });

  test.each<[string, ItemFacts, FitCrop, string]>([
    ['instagram.feed', image('image/jpeg', 1000, 2000), { x: 0, y: 0.5, width: 1, height: 0.5 }, '1000x1000'],
    ['instagram.feed', image('image/jpeg', 1000, 2000), { x: 0.2, y: 0, width: 0.4, height: 0.25 }, '400x500'],
    // The part that is kept is still too tall.
    ['instagram.feed', image('image/jpeg', 1000, 2000), { x: 0, y: 0, width: 0.5, height: 1 }, '1440x1800'],
    ['facebook.reel', video(1920, 1080, 10), { x: 0.5, y: 0, width: 0.31640625, height: 1 }, '612x1088'],
  ])('for %s from %j, cropped to %j, is %s', (name, item, part, size) => {
    const plan = planFit(targetOf(name), item, 'pad', part);
    expect('reason' in plan ? plan.reason : [sizes(plan)[0], plan.crop]).toEqual([size, part]);
  });
});

describe('a plan', () => {
  const types = ({ attempts }: FitPlan): readonly string[] => [...new Set(attempts.map(({ type }) => type))];

  test.each<[string, ItemFacts, readonly string[]]>([
    ['x.post', image('image/jpeg', 10, 10), ['image/jpeg']],
    ['x.post', image('image/png', 10, 10), ['image/png', 'image/jpeg']],
    ['x.post', image('image/png', 10, 10, 1, true), ['image/png', 'image/webp']],
    ['pinterest.pin', image('image/webp', 10, 10, 1, true), ['image/webp']],
    ['facebook.post', image('image/webp', 10, 10, 1, true), ['image/png']],
    ['instagram.feed', image('image/png', 10, 10, 1, true), ['image/jpeg']],
    ['tiktok.post', image('image/webp', 400, 400), ['image/webp']],
    ['x.post', image('image/gif', 400, 400), ['image/png', 'image/jpeg']],
    ['x.post', image('image/gif', 400, 400, 9), ['video/mp4']],
    ['instagram.reel', image('image/gif', 400, 400, null), ['video/mp4']],
  ])('for %s from %j produces %j', (name, item, made) => {
    expect(types(planOf(name, item))).toEqual([...made]);
  });

  test('tries ever smaller files, and none twice', () => {
    const { attempts } = planOf('bluesky.post', image('image/jpeg', 4000, 3000));
    const order = attempts.map(({ width, height, ...rest }) => [width * height, 'quality' in rest ? rest.quality : 0]);
    expect(order).toEqual([...order].sort(([a = 0, x = 0], [b = 0, y = 0]) => b - a || y - x));
    expect(new Set(order.map(String)).size).toBe(order.length);
  });

  test.each<[string, ItemFacts, number]>([
    ['facebook.reel', video(1080, 1920, 10, 12), 24],
    ['facebook.reel', video(1080, 1920, 10, 23.976), 24],
    ['instagram.reel', video(1080, 1920, 10, 120), 60],
    ['instagram.reel', video(1080, 1920, 10, 29.97), 29.97],
    ['instagram.reel', video(1080, 1920, 10, null), 30],
    ['youtube.video', video(1080, 1920, 10, 7.5), 7.5],
  ])('for %s from %j has %d frames per second', (name, item, rate) => {
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

  test('cuts a video slightly below the maximum length, as the result is one packet longer', () => {
    const end = (seconds: number) => planOf('instagram.story', video(1080, 1920, seconds)).attempts[0];
    expect(end(60)).toMatchObject({ maxDurationMs: 59_940 });
    expect(end(59.9)).toMatchObject({ maxDurationMs: null });
  });
});

describe('there is no plan', () => {
  test.each<[string, ItemFacts, RegExp]>([
    [
      'instagram.story',
      video(1080, 1920, 60.001),
      /^Videos in an Instagram story must not be longer than 60 seconds\. Trim it\.$/,
    ],
    ['linkedin.post', video(1080, 1920, 2.9), /must not be shorter than 3 seconds/],
    ['instagram.reel', image('image/jpeg', 1080, 1920), /needs at least 1 video/],
    ['facebook.reel', image('image/jpeg', 1080, 1920), /^Images can’t be published as a Facebook reel\.$/],
    ['x.post', image('image/webp', 100, 100, 4), /^Animated images other than GIFs/],
    ['x.post', image('image/png', 100, 100, null), /still being analysed/],
    ['x.post', image('image/jpeg', 20_000, 3_201), /64 megapixels/],
    ['youtube.video', video(3840, 2160, 3600), /more frames than can be converted/],
    ['mastodon.post', video(320, 240, 4 * 3600, 1), /99 MiB\. It is too long for that/],
  ])('for %s from %j', (name, item, reason) => {
    expect(reasonOf(name, item)).toMatch(reason);
  });

  test.each<[string, ItemFacts, ItemFacts]>([
    ['x.post', image('image/jpeg', 20_000, 3_200), image('image/jpeg', 12_800_001, 5)],
    ['youtube.video', video(2000, 1000, 2500), video(2000, 1000, 2500.001)],
  ])('for %s above the conversion limit, but there is one exactly at the limit', (name, most, more) => {
    expect([reasonOf(name, most), reasonOf(name, more)]).toEqual([
      'none',
      expect.stringMatching(/megapixels|more frames/),
    ]);
  });
});

describe('judgeFitted', () => {
  const made = (size: number, width = 1200) => ({ ...image('image/jpeg', width, 1200), size });

  test.each<[string, ItemFacts, object]>([
    ['facebook.post', made(4_000_000), { kind: 'fits' }],
    ['facebook.post', made(4_000_001), { kind: 'too_large', isUsable: true }],
    ['facebook.post', made(10 * 1024 ** 2 + 1), { kind: 'too_large', isUsable: false }],
    [
      'linkedin.post',
      { ...video(100, 100, 10), type: 'video/mp4', size: 74_999 },
      { kind: 'unfit', reason: expect.stringContaining('75 KB') },
    ],
    ['instagram.feed', made(9_000_000, 600), { kind: 'unfit', reason: expect.stringContaining('4:5') }],
  ])('for %s judges %j as %j', (name, item, verdict) => {
    expect(judgeFitted(targetOf(name), item)).toMatchObject(verdict);
  });
});
