import { isMediaType, kindOf, type MediaFacts, type MediaType } from '@postshelf/domain';

/**
 * The first bytes by which the fakes recognise the six accepted types. They equal the real signature of the type, if it
 * has one.
 */
const MAGIC: Readonly<Record<MediaType, Uint8Array>> = {
  'image/jpeg': bytesOf('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'),
  'image/png': bytesOf('\x89PNG\r\n\x1a\n\0\0\0\x0d'),
  'image/gif': bytesOf('GIF89a\0\0\0\0\0\0'),
  'image/webp': bytesOf('RIFF\0\0\0\0WEBP'),
  'video/mp4': bytesOf('\0\0\0\x18ftypisom'),
  'video/quicktime': bytesOf('\0\0\0\x14ftypqt  '),
};

const HEIC_MAGIC = bytesOf('\0\0\0\x18ftypheic');

const MAGIC_LENGTH = 12;

/** Maximum length of the description after the magic bytes. */
const FACTS_LENGTH = 64;

/** Number of bytes at the start of a fake file that are enough to inspect it. */
export const FAKE_HEAD_LENGTH = MAGIC_LENGTH + FACTS_LENGTH;

/**
 * Returns the smallest file that the fake inspector reads: the type's first bytes, then `WIDTHxHEIGHT@SECONDS;`.
 * Anything may follow, by default `padding` bytes of zeros.
 */
export function fakeFile({ type, width, height, time }: Omit<MediaFacts, 'details'>, padding = 0): Uint8Array {
  return Buffer.concat([MAGIC[type], bytesOf(`${width}x${height}@${time ?? 0};`), new Uint8Array(padding)]);
}

/** Returns a fake image that has to be converted. */
export const fakeHeic = (facts: Omit<MediaFacts, 'details' | 'type'>): Uint8Array =>
  Buffer.concat([HEIC_MAGIC, fakeFile({ type: 'image/jpeg', ...facts }).subarray(MAGIC_LENGTH)]);

/** Returns the properties of the image that a fake image is converted to; null if the bytes aren't a fake image. */
export function fakeFactsOfHeic(head: Uint8Array): MediaFacts | null {
  const facts = fakeFactsOf(Buffer.concat([MAGIC['image/jpeg'], head.subarray(MAGIC_LENGTH)]));
  return facts === 'damaged' ? null : facts;
}

export const isFakeHeic = (head: Uint8Array): boolean =>
  Buffer.compare(HEIC_MAGIC, head.subarray(0, MAGIC_LENGTH)) === 0;

/** Returns a fake file that starts correctly, but is incomplete: it ends before the `;`. */
export const damagedFakeFile = (facts: Omit<MediaFacts, 'details'>): Uint8Array => fakeFile(facts).subarray(0, -1);

/** Returns the type that the first bytes of a fake file indicate; null if they indicate none. */
export function fakeTypeOf(head: Uint8Array): MediaType | null {
  for (const [type, magic] of Object.entries(MAGIC)) {
    if (isMediaType(type) && Buffer.compare(magic, head.subarray(0, MAGIC_LENGTH)) === 0) return type;
  }
  return null;
}

/** Returns the properties of a fake file; null if the bytes aren't a fake file, `damaged` if they are incomplete. */
export function fakeFactsOf(head: Uint8Array): MediaFacts | 'damaged' | null {
  const type = fakeTypeOf(head);
  const text = Buffer.from(head.subarray(MAGIC_LENGTH, FAKE_HEAD_LENGTH)).toString('latin1');
  const [, width, height, time, end] = /^([1-9]\d*)x([1-9]\d*)@(\d+)(;?)/.exec(text) ?? [];
  if (type === null || width === undefined) return null;
  if (end === '') return 'damaged';
  const seconds = kindOf(type) === 'video' ? Number(time) : null;
  return { type, width: Number(width), height: Number(height), time: seconds, details: null };
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
