import { expect, test } from 'bun:test';
import { canFit } from '../../src/fit/can-fit.ts';

const IMAGE = { frames: 1, has_alpha: false };
const picture = { status: 'active', details: { mime: 'image/png', image: IMAGE } };
const gif = { status: 'active', details: { mime: 'image/gif', image: { ...IMAGE, frames: 20 } } };
const sticker = { status: 'active', details: { mime: 'image/webp', image: { ...IMAGE, frames: 20 } } };
const video = { status: 'active', details: { mime: 'video/quicktime', image: null } };

const TYPES = {
  images: ['image/jpeg', 'image/png'],
  videos: ['video/mp4'],
  both: ['image/jpeg', 'video/mp4'],
} as const;

type Severity = 'error' | 'warning';

function problem(rule: string, severity: Severity = 'error', { limit = 1, actual = 2 }: object & Partial<Values> = {}) {
  return { rule, severity, limit, actual, unit: null, message: '', remedy: '', media_content_id: null };
}

interface Values {
  readonly limit: number | string[];
  readonly actual: number | string | null;
}

const type = (of: keyof typeof TYPES) =>
  problem('instagram.feed.type', 'error', { limit: [...TYPES[of]], actual: 'x' });
const duration = (actual: number) => problem('instagram.story.video.duration.max', 'error', { limit: 60, actual });
const unknown = problem('instagram.feed.video.codec', 'warning', { actual: null });

test.each([
  ['an image that is ready', picture, [], false],
  ['an image of another type', picture, [type('both')], true],
  ['an image where videos are wanted', picture, [type('videos')], false],
  ['an image with only a warning about its width', picture, [problem('x.post.image.width.max', 'warning')], true],
  ['an image with a refused aspect ratio', picture, [problem('instagram.feed.image.aspect.min')], true],
  ['an image where a video is required', picture, [problem('youtube.video.count.min')], false],
  ['an animated GIF where videos are wanted', gif, [type('videos'), problem('youtube.video.count.min')], true],
  ['an animated image that is not a GIF', sticker, [type('both')], false],
  ['a video of another type', video, [type('both')], true],
  ['a video where images are wanted', video, [type('images')], false],
  ['a video with six sound channels', video, [problem('instagram.reel.video.channels.max')], true],
  ['a video that is longer by one sound packet', video, [duration(60.023)], true],
  ['a video that is longer by more than that', video, [duration(60.2)], false],
  ['a video that is too long', video, [problem('instagram.reel.video.duration.max')], false],
  [
    'a video that is too large, with a warning about its duration',
    video,
    [problem('x.post.video.bytes.max'), problem('x.post.video.duration.max', 'warning')],
    true,
  ],
  ['a video with only a warning about its duration', video, [problem('x.post.video.duration.max', 'warning')], false],
  ['a video whose details are unknown', video, [unknown], false],
  ['an image that is still processing', { ...picture, status: 'processing' }, [type('both')], false],
])('a conversion is offered only if it helps: %s', (_, item, problems, expected) => {
  expect(canFit(item as unknown as Parameters<typeof canFit>[0], { problems })).toBe(expected);
});
