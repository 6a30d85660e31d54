import type { Measure, RuleKind } from './rule.ts';

/** Sentences by measure and bound; `{things}`, `{target}` and `{must}` are replaced. */
const TEXTS: Readonly<Record<string, readonly [sentence: string, remedy: string]>> = {
  type: ['{Target} accepts {limit}.', 'Convert the file to one of these.'],
  'bytes.max': ['{Things} in {target} {must} not be larger than {limit}.', 'Compress it more, or make it smaller.'],
  'bytes.min': ['{Things} in {target} {must} not be smaller than {limit}.', 'Use a version of higher quality.'],
  'width.max': ['{Things} in {target} {must} not be wider than {limit}.', 'Scale it down.'],
  'width.min': ['{Things} in {target} {must} be at least {limit} wide.', 'Use a version of higher resolution.'],
  'height.max': ['{Things} in {target} {must} not be taller than {limit}.', 'Scale it down.'],
  'height.min': ['{Things} in {target} {must} be at least {limit} high.', 'Use a version of higher resolution.'],
  'area.max': ['{Things} in {target} {must} not have more than {limit}.', 'Scale it down.'],
  'total_area.max': [
    '{Things} in {target} {must} not have more than {limit} over all frames.',
    'Remove frames, or scale it down.',
  ],
  'aspect.max': [
    '{Things} in {target} {must} not be wider than {limit} (width to height).',
    'Crop it at the sides, or pad it above and below.',
  ],
  'aspect.min': [
    '{Things} in {target} {must} not be narrower than {limit} (width to height).',
    'Crop it above and below, or pad it at the sides.',
  ],
  'duration.max': ['{Things} in {target} {must} not be longer than {limit}.', 'Trim it.'],
  'duration.min': ['{Things} in {target} {must} not be shorter than {limit}.', 'Use a longer one.'],
  'frame_rate.max': ['{Things} in {target} {must} not have more than {limit}.', 'Lower the frame rate.'],
  'frame_rate.min': ['{Things} in {target} {must} have at least {limit}.', 'Raise the frame rate.'],
  'bitrate.max': ['{Things} in {target} {must} not have more than {limit}.', 'Encode it at a lower bitrate.'],
  codec: ['{Things} in {target} {must} be encoded as {limit}.', 'Re-encode the video.'],
  chroma: ['{Things} in {target} {must} have a chroma subsampling of {limit}.', 'Re-encode the video as 4:2:0.'],
  audio: ['The sound of {things} in {target} {must} be encoded as {limit}.', 'Re-encode the sound.'],
  'audio.max': [
    'The sound of {things} in {target} {must} not have a sample rate above {limit}.',
    'Resample the sound.',
  ],
  'channels.max': [
    'The sound of {things} in {target} {must} not have more than {limit}.',
    'Mix the sound down to stereo.',
  ],
  moov: [
    '{Things} in {target} {must} start with their movie box (moov).',
    'Rewrite the file for streaming: ffmpeg with -movflags +faststart.',
  ],
  edit_list: [
    '{Things} in {target} should have no edit list.',
    'Rewrite the file without one: ffmpeg with -use_editlist 0.',
  ],
  'frames.max': ['{Things} in {target} {must} not have more than {limit}.', 'Remove frames.'],
  'count.max': ['{Target} accepts at most {limit}.', 'Remove some, or make several posts.'],
  'count.min': ['{Target} needs at least {limit}.', 'Add one.'],
  posts_per_day: [
    '{Target} counts towards the limit of {limit} that a profile can publish within 24 hours.',
    'Plan it for another day.',
  ],
  kinds: ['{Target} can have {limit}, but no other combination.', 'Make a separate post for each kind.'],
  'link.scheme': [
    'The link of a file in {target} {must} begin with {limit}.',
    'Serve the library over https, and set PUBLIC_URL to that address.',
  ],
  'link.public': [
    'The link of a file in {target} {must} be on the public internet.',
    'Set PUBLIC_URL, or S3_PUBLIC_URL, to an address that everyone can reach.',
  ],
  'link.redirect': [
    'The link of a file in {target} {must} not redirect.',
    'Set S3_REDIRECT to browsers or false, or make the bucket public with S3_PUBLIC_URL.',
  ],
  'link.expiry': [
    'The link of a file in {target} {must} still be valid when the post is published.',
    'Sign the link shortly before publishing, and for long enough, or make the workspace’s links public.',
  ],
  equal_size: ['All images in {target} {must} be of the same width and height.', 'Crop or scale them to one size.'],
};

const THINGS = { image: 'images', gif: 'GIFs', video: 'videos', file: 'files' } as const;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a rule's sentence and remedy. The placeholder `{limit}` isn't replaced yet. */
export function wordsOf(
  { kind, key, title }: { readonly kind: RuleKind | null; readonly key: string; readonly title: string },
  isAdvice: boolean,
): { readonly sentence: string; readonly remedy: string } {
  const texts = TEXTS[key];
  if (!texts) throw new Error(`No sentence says ${key}`);
  const things = THINGS[kind ?? 'file'];
  const words: Readonly<Record<string, string>> = {
    Target: capital(title),
    target: title,
    Things: capital(things),
    things,
    must: isAdvice ? 'should' : 'must',
  };
  const [sentence, remedy] = texts;
  return { sentence: sentence.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole), remedy };
}

/** Types and codecs as people call them. */
const NAMES: Readonly<Record<string, string>> = {
  'image/jpeg': 'JPEG',
  'image/png': 'PNG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'video/mp4': 'MP4',
  'video/quicktime': 'MOV',
  avc: 'H.264',
  hevc: 'H.265',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
  aac: 'AAC',
};

export const nameOfLimit = (word: string): string => NAMES[word] ?? word;

const BYTES = [
  ['GB', 1000 ** 3],
  ['GiB', 1024 ** 3],
  ['MB', 1000 ** 2],
  ['MiB', 1024 ** 2],
  ['KB', 1000],
  ['KiB', 1024],
] as const;

/** Formats numbers like 2,073,600. */
const withCommas = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+(?!\d))/g, ',');

export function numberInWords(measure: Measure, kind: RuleKind | null, shown: number): string {
  const number = Number.isInteger(shown) ? withCommas(shown) : String(shown);
  switch (measure) {
    case 'bytes': {
      const [name, size] = BYTES.find(([, size]) => shown >= size && shown % size === 0) ?? ['bytes', 1];
      return `${withCommas(shown / size)} ${name}`;
    }
    case 'duration':
      if (shown >= 7200 && shown % 3600 === 0) return `${shown / 3600} hours`;
      return shown >= 120 && shown % 60 === 0 ? `${shown / 60} minutes` : `${number} seconds`;
    case 'frame_rate':
      return `${number} frames per second`;
    case 'bitrate':
      return `${shown / 1_000_000} Mbit/s`;
    case 'audio':
      return `${number} Hz`;
    case 'frames':
      return `${number} frames`;
    case 'channels':
      return `${number} audio channels`;
    case 'posts_per_day':
      return `${number} posts`;
    case 'count':
      return `${number} ${shown === 1 ? THINGS[kind ?? 'file'].slice(0, -1) : THINGS[kind ?? 'file']}`;
    default:
      return `${number} pixels`;
  }
}
