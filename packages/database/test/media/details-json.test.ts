import { expect, test } from 'bun:test';
import type { MediaDetails } from '@postshelf/domain';
import { detailsFromJson, detailsToJson } from '../../src/media/details-json.ts';

const VIDEO = {
  codec: 'hevc',
  durationMs: 1_001,
  frameRate: 23.976,
  bitrate: 1_000_000,
  chroma: '4:2:2',
  rotation: 270,
  moovFirst: true,
  editList: false,
  hdr: 'hlg',
  audio: { codec: 'aac', sampleRate: 44_100, channels: 2 },
} as const;
const UNKNOWN = {
  codec: null,
  durationMs: null,
  frameRate: null,
  bitrate: null,
  chroma: null,
  rotation: null,
  moovFirst: null,
  editList: null,
  hdr: null,
  audio: null,
};

test('media details are read back as they were written, complete or not', () => {
  const kept: readonly MediaDetails[] = [
    { image: null, video: null },
    { image: { frames: 12, hasAlpha: true }, video: null },
    { image: { frames: null, hasAlpha: false }, video: null },
    { image: { frames: 1, hasAlpha: false }, video: null, convertedFrom: 'image/heic' },
    { image: null, video: VIDEO },
    { image: null, video: { ...UNKNOWN, rotation: 0, audio: { codec: null, sampleRate: null, channels: null } } },
  ];
  for (const details of kept) expect(detailsFromJson(detailsToJson(details))).toEqual(details);
});

test('invalid media details are read as unknown, and JSON other than an object as null', () => {
  const none = { image: null, video: null };
  for (const [json, details] of [
    [null, null],
    ['', null],
    ['{', null],
    ['[]', null],
    ['"text"', null],
    ['null', null],
    ['{}', none],
    ['{"image": [], "video": 7, "sound": {}, "converted_from": "image/jpeg"}', none],
    [
      '{"image": {"frames": 1.5, "has_alpha": "yes", "layers": 3}}',
      { image: { frames: null, hasAlpha: null }, video: null },
    ],
    [
      '{"video": {"codec": 7, "duration_ms": -1, "frame_rate": 1e999, "rotation": 45, "audio": "aac"}}',
      { image: null, video: UNKNOWN },
    ],
  ] as const) {
    expect([json, detailsFromJson(json)]).toEqual([json, details]);
  }
});
