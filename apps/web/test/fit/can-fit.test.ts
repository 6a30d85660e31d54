import { expect, test } from 'bun:test';
import { canFit } from '../../src/fit/can-fit.ts';

const IMAGE = { frames: 1, has_alpha: false };
const picture = { status: 'active', details: { mime: 'image/png', image: IMAGE } };
const gif = { status: 'active', details: { mime: 'image/gif', image: { ...IMAGE, frames: 20 } } };
const sticker = { status: 'active', details: { mime: 'image/webp', image: { ...IMAGE, frames: 20 } } };
const film = { status: 'active', details: { mime: 'video/quicktime', image: null } };

const TYPES = {
  images: ['image/jpeg', 'image/png'],
  films: ['video/mp4'],
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
const unknown = problem('instagram.feed.video.codec', 'warning', { actual: null });

test.each([
  ['a picture that is ready', picture, [], false],
  ['a picture of another type', picture, [type('both')], true],
  ['a picture where films are wanted', picture, [type('films')], false],
  ['a picture with only a warning about its width', picture, [problem('x.post.image.width.max', 'warning')], true],
  ['a picture with an aspect ratio that is refused', picture, [problem('instagram.feed.image.aspect.min')], true],
  ['a picture where a film is required', picture, [problem('youtube.video.count.min')], false],
  ['an animated GIF where films are wanted', gif, [type('films'), problem('youtube.video.count.min')], true],
  ['an animated picture that is no GIF', sticker, [type('both')], false],
  ['a film of another type', film, [type('both')], true],
  ['a film where pictures are wanted', film, [type('images')], false],
  ['a film that is too long', film, [problem('instagram.reel.video.duration.max')], false],
  [
    'a film that is too large, with a warning about its duration',
    film,
    [problem('x.post.video.bytes.max'), problem('x.post.video.duration.max', 'warning')],
    true,
  ],
  ['a film with only a warning about its duration', film, [problem('x.post.video.duration.max', 'warning')], false],
  ['a film whose details are unknown', film, [unknown], false],
  ['a picture that is still processing', { ...picture, status: 'processing' }, [type('both')], false],
])('whether to offer the conversion of %s', (_, item, problems, expected) => {
  expect(canFit(item as unknown as Parameters<typeof canFit>[0], { problems })).toBe(expected);
});
