import { expect, test } from 'bun:test';
import type { MediaItem } from '@postshelf/client';
import { judgeItem, onlyOtherKind } from '../../src/readiness/verdicts.ts';

const BASE = { id: '01900000-0000-7000-8000-000000000000', name: 'one', status: 'active', size: 300_000, time: null };

const picture = (facts: object = {}, mime = 'image/jpeg', image: object | null = { frames: 1, has_alpha: false }) =>
  ({ ...BASE, width: 1080, height: 1080, ...facts, details: { mime, image, video: null } }) as unknown as MediaItem;

const video = (properties: object = {}) =>
  ({
    ...BASE,
    width: 1080,
    height: 1920,
    time: 20,
    details: {
      mime: 'video/mp4',
      image: null,
      video: {
        ...{ codec: 'avc', duration_ms: 20_000, frame_rate: 30, bitrate: 120_000, chroma: '4:2:0', rotation: 90 },
        ...{ moov_first: true, edit_list: false, hdr: null },
        audio: { codec: 'aac', sample_rate: 48_000, channels: 2 },
        ...properties,
      },
    },
  }) as unknown as MediaItem;

const namesOn = (item: MediaItem, ...networks: readonly string[]): string[] =>
  judgeItem(item, new Set(networks)).flatMap(({ targets }) => targets.map(({ name }) => name));

const mainOn = (item: MediaItem, network: string): string | undefined =>
  judgeItem(item, new Set([network]))[0]?.main.name;

test.each([
  ['an image', picture(), ['Instagram feed: ready', 'Instagram reel: video only', 'Instagram story: ready']],
  [
    'an image of another type',
    picture({}, 'image/webp'),
    ['Instagram feed: not ready, 1 problem', 'Instagram reel: video only', 'Instagram story: not ready, 1 problem'],
  ],
  [
    'an image with unknown details',
    picture({}, 'image/jpeg', null),
    ['Instagram feed: ready', 'Instagram reel: video only', 'Instagram story: ready'],
  ],
  ['a video', video(), ['Instagram feed: ready', 'Instagram reel: ready', 'Instagram story: ready']],
])('%s has a verdict for each target of Instagram', (_, item, names) => {
  expect(namesOn(item, 'instagram')).toEqual(names);
});

test.each([
  ['a video with two problems', video({ codec: 'av1', frame_rate: 10 }), 'tiktok', 'TikTok: not ready, 2 problems'],
  ['a video with unknown details', video({ codec: null }), 'tiktok', 'TikTok: ready, with advice'],
  ['an image on YouTube', picture(), 'youtube', 'YouTube Short: video only'],
  ['a video on YouTube', video(), 'youtube', 'YouTube video: ready'],
  ['an image on Instagram', picture(), 'instagram', 'Instagram feed: ready'],
])('the tile of %s shows its main verdict', (_, item, network, name) => {
  expect(mainOn(item, network)).toBe(name);
});

test('there are no verdicts for processing items, or for networks without a profile', () => {
  expect(judgeItem(picture({ status: 'processing' }), null)).toEqual([]);
  expect(judgeItem(picture({ width: null }), null)).toEqual([]);
  expect(judgeItem(picture(), new Set())).toEqual([]);
  expect(judgeItem(picture(), null).map(({ network }) => network)).toContain('google_business');
});

test('problems are shown with their remedies, unless the target needs another kind of file', () => {
  const [instagram] = judgeItem(picture({ height: 3000 }), new Set(['instagram']));
  const [feed, reel] = instagram?.targets ?? [];
  expect(feed?.sentences.join(' ')).toMatch(/4:5.* (?:Crop|crop)/);
  expect(reel?.sentences).toEqual([]);
  expect(onlyOtherKind('instagram.reel', picture())).toBe('Video only');
  expect(onlyOtherKind('instagram.reel', video())).toBeNull();
});
