import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Candidate, checkReadiness, findTarget, type Readiness, readOverride, TARGETS } from '../../src/index.ts';
import { gif, image, video } from './items.ts';

function check(
  target: string,
  items: readonly Candidate[],
  overrides: Readonly<Record<string, number>> = {},
): Readiness {
  const found = findTarget(target);
  if (!found) throw new Error(target);
  const limits = Object.entries(overrides).map(([id, value]) => {
    const limit = readOverride(id, value);
    if (typeof limit !== 'object' || !('n' in limit)) throw new Error(id);
    return [id, limit] as const;
  });
  return checkReadiness(found, items, { overrides: new Map(limits) });
}

/** Describes the problems briefly; `!` marks errors. */
const briefly = ({ target, problems }: Readiness): string =>
  problems
    .map(({ rule, severity }) => `${severity === 'error' ? '!' : ''}${rule.slice(target.length + 1)}`)
    .sort()
    .join(' ');

const upright = { width: 1080, height: 1920 };
const hd = { width: 1280, height: 720 };
const surround = { audio: { codec: 'aac', sampleRate: 48_000, channels: 6 } };
const wide = { width: 1920, height: 1080 };
const png = { type: 'image/png' } as const;
const mov = { type: 'video/quicktime' } as const;
const minute = (n: number) => ({ durationMs: n * 60_000 });
const images = (count: number, facts = {}) => Array.from({ length: count }, () => image(facts));

// The examples are written by hand from the networks' documentation, because limits.test.ts compares the rules with
// themselves.
const EXAMPLES: readonly (readonly [target: string, items: readonly Candidate[], problems: string])[] = [
  ['instagram.feed', [image()], ''],
  ['instagram.feed', [image(png)], '!type'],
  ['instagram.feed', [image(upright)], '!image.aspect.min'],
  ['instagram.feed', [image({ width: 1080, height: 1350 })], ''],
  ['instagram.feed', [image({ width: 1080, height: 1440 })], 'image.aspect.min'],
  ['instagram.feed', [image({ width: 4032, height: 3024 })], 'image.width.max'],
  // The heights that are nearest to 1200 / 1.91 and 1080 / 1.91, and those that are not.
  ['instagram.feed', [image({ width: 1200, height: 628 })], ''],
  ['instagram.feed', [image({ width: 1200, height: 627 })], '!image.aspect.max'],
  ['instagram.feed', [image({ width: 1080, height: 565 })], ''],
  ['instagram.feed', [image({ width: 1080, height: 564 })], '!image.aspect.max'],
  ['instagram.feed', [image({ size: 8_000_001 })], 'image.bytes.max'],
  ['instagram.feed', [image({ size: 9_000_000 })], '!image.bytes.max'],
  ['instagram.feed', [video(), ...images(9)], ''],
  ['instagram.feed', images(11), '!count.max'],
  ['instagram.reel', [video()], ''],
  ['instagram.reel', [image()], '!video.count.min'],
  ['instagram.reel', [video(), image()], ''],
  [
    'instagram.reel',
    [video({}, { codec: 'vp9', chroma: '4:2:2', editList: true })],
    '!video.chroma !video.codec video.edit_list',
  ],
  ['instagram.reel', [video({}, { moovFirst: false, frameRate: 22.999 })], '!video.frame_rate.min !video.moov'],
  // Averages of files whose times are whole milliseconds, and of a phone.
  ['instagram.reel', [video({}, { frameRate: 60.004 })], ''],
  ['tiktok.post', [video({}, { frameRate: 60.09 })], ''],
  ['instagram.reel', [video({}, { frameRate: 60.2 })], '!video.frame_rate.max'],
  [
    'instagram.reel',
    [video({}, { audio: { codec: 'mp3', sampleRate: 96_000, channels: 2 } })],
    '!video.audio !video.audio.max',
  ],
  ['instagram.reel', [video({}, { audio: null })], ''],
  ['instagram.reel', [video({}, surround)], '!video.channels.max'],
  ['instagram.reel', [video({ size: 400_000_000 })], 'video.bytes.max'],
  ['instagram.story', [video({}, { durationMs: 60_001 })], '!video.duration.max'],
  ['instagram.story', [video({}, { bitrate: 25_512_001 })], '!video.bitrate.max'],
  ['facebook.post', [image({ size: 5_000_000 })], 'image.bytes.max'],
  ['facebook.post', [image(), video()], '!kinds'],
  ['facebook.reel', [video()], ''],
  ['facebook.reel', [video({ ...mov, ...wide })], '!video.aspect.max video.type'],
  ['facebook.reel', [video({}, { frameRate: 24_000 / 1001 })], 'video.frame_rate.min'],
  ['facebook.reel', [video({}, { frameRate: 23.974 })], 'video.frame_rate.min'],
  ['facebook.reel', [video({}, { frameRate: 23.99 })], ''],
  ['facebook.reel', [video({}, { frameRate: 23.9 })], '!video.frame_rate.min'],
  // Encoders need even sides, so 9:16 can be missed by a pixel.
  ['facebook.reel', [video({ width: 608, height: 1080 })], ''],
  ['facebook.reel', [video({ width: 606, height: 1080 })], '!video.aspect.min'],
  ['facebook.reel', [video({ width: 610, height: 1080 })], '!video.aspect.max'],
  ['facebook.reel', [video({ width: 1080, height: 1918 })], '!video.aspect.max'],
  ['facebook.reel', [video({ width: 720, height: 1282 })], '!video.aspect.min'],
  ['facebook.story', [video({}, minute(1.5))], '!video.duration.max'],
  ['tiktok.post', [image(png)], '!type'],
  ['tiktok.post', [image({ width: 2160, height: 2160 })], '!image.area.max image.height.max image.width.max'],
  ['tiktok.post', [video({}, minute(10))], ''],
  ['tiktok.post', [video({}, { durationMs: 2_900 })], 'video.duration.min'],
  ['tiktok.post', images(36), '!image.count.max'],
  ['youtube.video', [video(), image({ size: 2_000_000 })], ''],
  ['youtube.video', [video(), image({ size: 3_000_000 })], 'image.bytes.max'],
  ['youtube.short', [video()], ''],
  ['youtube.short', [video(wide)], 'video.aspect.max video.width.max'],
  ['threads.post', [video({}, minute(5)), ...images(19)], ''],
  ['threads.post', [video({}, surround)], '!video.channels.max'],
  ['x.post', images(4), ''],
  ['x.post', [image({ width: 8193, height: 4320 })], 'image.width.max'],
  ['x.post', [video(hd)], ''],
  ['x.post', [video({ width: 720, height: 1280 })], ''],
  ['x.post', [video(wide)], 'video.width.max'],
  ['x.post', [video()], 'video.height.max'],
  ['x.post', [video({ width: 30, height: 30 })], '!video.height.min !video.width.min'],
  ['x.post', [video(hd, minute(3))], 'video.duration.max'],
  ['x.post', [video(hd, minute(20))], 'video.duration.max'],
  ['x.post', [video(hd, minute(20.1))], '!video.duration.max'],
  ['x.post', [video({ ...hd, size: 600_000_000 })], 'video.bytes.max'],
  ['x.post', [video({ ...hd, size: 9_000_000_000 })], '!video.bytes.max'],
  ['x.post', [video(hd, { chroma: '4:2:2' })], '!video.chroma'],
  ['x.post', [video(hd, surround)], '!video.channels.max'],
  ['x.post', [gif(300, { width: 1000, height: 1000 })], ''],
  ['x.post', [gif(301, { width: 1000, height: 1000 })], 'gif.total_area.max'],
  ['x.post', [gif(20), gif(20)], '!gif.count.max'],
  ['x.post', [gif(20), image()], '!kinds'],
  ['x.post', [gif(351, { size: 14_000_000, width: 100, height: 100 })], 'gif.frames.max'],
  ['x.post', [video(hd, { codec: 'hevc', durationMs: 499 })], '!video.codec !video.duration.min'],
  ['linkedin.post', [image({ width: 6144, height: 5884 })], ''],
  ['linkedin.post', [image({ width: 6144, height: 5885 })], '!image.area.max'],
  ['linkedin.post', [video({ size: 76_000 })], 'video.bytes.min'],
  ['pinterest.pin', images(5), ''],
  ['pinterest.pin', [image({ type: 'image/webp' })], ''],
  ['pinterest.pin', [video({}, minute(5)), image(upright)], ''],
  ['pinterest.pin', [video({}, minute(15)), image(upright)], 'video.duration.max'],
  ['pinterest.pin', [video({}, minute(15.1)), image(upright)], '!video.duration.max'],
  ['pinterest.pin', [image(), image(upright)], '!equal_size'],
  ['pinterest.pin', [video()], 'image.count.min'],
  ['pinterest.pin', [video(), image(upright)], ''],
  ['bluesky.post', [image({ size: 2_000_001 })], '!image.bytes.max'],
  ['bluesky.post', [video({}, minute(10))], ''],
  ['bluesky.post', [video({}, minute(10.1))], '!video.duration.max'],
  ['bluesky.post', [video(mov)], '!type'],
  ['bluesky.post', images(5), '!image.count.max'],
  ['mastodon.post', [gif(3, { width: 1280, height: 721 })], '!gif.area.max'],
  ['mastodon.post', [image(), gif(3, { width: 400, height: 400 })], ''],
  ['google_business.post', [image({ width: 300, height: 300 })], 'image.width.min'],
  ['google_business.post', [image({ size: 9_999 })], 'image.bytes.min'],
];

const titled = EXAMPLES.map(([target, items, problems], index) => {
  const kinds = items.map(({ type, width, height }) => `${type.split('/')[1]} ${width}×${height}`);
  return [
    `${index + 1}. ${target} of ${kinds.slice(0, 2).join(', ')}: ${problems || 'ready'}`,
    target,
    items,
    problems,
  ] as const;
});

test.each(titled)('%s', (_, target, items, problems) => {
  expect(briefly(check(target, items))).toBe(problems);
});

describe('a readiness result', () => {
  test('has a verdict, and the limit, actual value, message and remedy of each problem', () => {
    expect(check('instagram.feed', [image({ width: 1080, height: 566 })])).toMatchObject({
      verdict: 'ready',
      problems: [],
    });
    expect(check('instagram.feed', [image({ width: 2000, height: 1000 })])).toEqual({
      target: 'instagram.feed',
      verdict: 'not_ready',
      problems: [
        {
          rule: 'instagram.feed.image.aspect.max',
          severity: 'error',
          mediaContentId: 'image',
          limit: '1.91:1',
          actual: '2:1',
          unit: 'width:height',
          message: 'Images in an Instagram feed post must not be wider than 1.91:1 (width to height).',
          remedy: 'Crop it at the sides, or pad it above and below.',
        },
        expect.objectContaining({
          rule: 'instagram.feed.image.width.max',
          severity: 'warning',
          limit: 1440,
          actual: 2000,
        }),
      ],
    });
  });

  test('gives durations in seconds, and no item for a problem of the whole set', () => {
    const { problems } = check('x.post', [video(hd, { durationMs: 140_500 }), image()]);
    expect(problems).toMatchObject([
      { rule: 'x.post.video.duration.max', mediaContentId: 'video', limit: 140, actual: 140.5, unit: 'seconds' },
      {
        rule: 'x.post.kinds',
        mediaContentId: null,
        limit: ['image', 'gif', 'video'],
        actual: 'image+video',
        unit: null,
      },
    ]);
  });
});

describe('a video with unknown details', () => {
  test.each([
    [59, 'ready'],
    [60, 'warning'],
    [61, 'not_ready'],
  ])('of %d whole seconds is %s with a limit of 60 s', (time, verdict) => {
    const { problems } = check('facebook.story', [video({ time, details: null })]);
    const of = problems.filter(({ rule }) => rule.endsWith('duration.max')).map(({ severity }) => severity);
    expect(of.map(String)).toEqual(verdict === 'ready' ? [] : [verdict === 'warning' ? 'warning' : 'error']);
  });

  test('gets a warning from each rule on its details, with null as the actual value', () => {
    const { verdict, problems } = check('instagram.reel', [video({ details: null })]);
    expect(verdict).toBe('warning');
    expect(problems.map(({ rule }) => rule.replace('instagram.reel.video.', ''))).toEqual([
      'codec',
      'chroma',
      'audio',
      'audio.max',
      'channels.max',
      'moov',
      'edit_list',
      'frame_rate.min',
      'frame_rate.max',
      'bitrate.max',
    ]);
    for (const problem of problems) expect(problem).toMatchObject({ severity: 'warning', actual: null });
  });

  const anyFacts = fc.record({
    size: fc.integer({ min: 1, max: 2 ** 31 }),
    width: fc.integer({ min: 1, max: 10_000 }),
    height: fc.integer({ min: 1, max: 10_000 }),
  });
  const anyDetails = fc.record({
    codec: fc.constantFrom('avc', 'hevc', 'av1', 'prores'),
    durationMs: fc.oneof(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 1, max: 50_000_000 })),
    frameRate: fc.double({ min: 1, max: 240, noNaN: true }),
    bitrate: fc.integer({ min: 1, max: 2e8 }),
    chroma: fc.constantFrom('4:2:0', '4:4:4'),
    moovFirst: fc.boolean(),
    editList: fc.boolean(),
    hdr: fc.constantFrom('hlg' as const, 'pq' as const, null),
  });

  test('never gets an error that it would not get with known details', () => {
    fc.assert(
      fc.property(anyFacts, anyDetails, (facts, details) => {
        const whole = video({ ...facts, time: Math.max(1, Math.round(details.durationMs / 1000)) }, details);
        for (const target of TARGETS) {
          const sure = new Set(
            checkReadiness(target, [whole]).problems.map(({ rule, severity }) => `${rule} ${severity}`),
          );
          const { problems } = checkReadiness(target, [{ ...whole, details: null }]);
          const errors = problems.filter(({ severity }) => severity === 'error');
          expect(errors.filter(({ rule }) => !sure.has(`${rule} error`))).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('overrides', () => {
  const own = { 'tiktok.post.video.duration.max': 180 };

  test('replace limits in the units of responses, and a value beyond them is an error, not a warning', () => {
    expect(briefly(check('tiktok.post', [video({}, minute(3))], own))).toBe('');
    expect(check('tiktok.post', [video({}, { durationMs: 180_001 })], own).problems).toMatchObject([
      { rule: 'tiktok.post.video.duration.max', severity: 'error', limit: 180, actual: 180.001 },
    ]);
    expect(
      briefly(check('instagram.feed', [image({ size: 8_100_000 })], { 'instagram.feed.image.bytes.max': 8e6 })),
    ).toBe('!image.bytes.max');
    expect(briefly(check('x.post', [video({ width: 191, height: 100 })], { 'x.post.video.aspect.max': 1.91 }))).toBe(
      '',
    );
    expect(briefly(check('mastodon.post', images(5), { 'mastodon.post.count.max': 5 }))).toBe('');
  });

  test.each([
    ['tiktok.post.video.duration', 1, 'unknown'],
    ['tiktok.post.type', 1, 'unknown'],
    ['__proto__', 1, 'unknown'],
    ['tiktok.post.count.min', 0, { problem: 'must be greater than 0.' }],
    ['tiktok.post.count.min', -1, { problem: 'must be greater than 0.' }],
    ['tiktok.post.count.min', '3', { problem: 'must be a number.' }],
    ['tiktok.post.count.min', Number.POSITIVE_INFINITY, { problem: 'must be a number.' }],
    ['tiktok.post.count.min', 1e300, { problem: 'must not be greater than 1000000000000.' }],
  ])('with %s = %p are refused', (id, value, refusal) => {
    expect<unknown>(readOverride(id, value)).toEqual(refusal);
  });
});
