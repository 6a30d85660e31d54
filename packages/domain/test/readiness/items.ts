import type { Candidate, ItemFacts, RuleKind, VideoDetails } from '../../src/index.ts';

const sound = { codec: 'aac', sampleRate: 48_000, channels: 2 };

const videoDetails: VideoDetails = {
  codec: 'avc',
  durationMs: 20_000,
  frameRate: 30,
  bitrate: 4_000_000,
  chroma: '4:2:0',
  rotation: 0,
  moovFirst: true,
  editList: false,
  hdr: null,
  audio: sound,
};

/** Returns an upright video that most networks accept. */
export const video = (facts: Partial<ItemFacts> = {}, details: Partial<VideoDetails> = {}): Candidate => ({
  id: 'video',
  type: 'video/mp4',
  size: 9_000_000,
  width: 1080,
  height: 1920,
  time: 20,
  details: { image: null, video: { ...videoDetails, ...details } },
  ...facts,
});

/** Returns a square photo that most networks accept. */
export const image = (facts: Partial<ItemFacts> = {}): Candidate => ({
  id: 'image',
  type: 'image/jpeg',
  size: 300_000,
  width: 1080,
  height: 1080,
  time: null,
  details: { image: { frames: 1, hasAlpha: false }, video: null },
  ...facts,
});

export const gif = (frames: number, facts: Partial<ItemFacts> = {}): Candidate =>
  image({ type: 'image/gif', details: { image: { frames, hasAlpha: false }, video: null }, ...facts });

export const itemOf = (kind: RuleKind): Candidate => {
  if (kind === 'video') return video();
  return kind === 'gif' ? gif(10) : image();
};
