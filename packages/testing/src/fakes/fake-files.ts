import type { MediaFacts, MediaType } from '@postshelf/domain';

/** The first bytes by which the fakes know the six types; real ones, where a type has some. */
const MAGIC: Readonly<Record<MediaType, Uint8Array>> = {
  'image/jpeg': bytesOf('\xff\xd8\xff\xe0\0\x10JFIF\0\x01'),
  'image/png': bytesOf('\x89PNG\r\n\x1a\n\0\0\0\x0d'),
  'image/gif': bytesOf('GIF89a\0\0\0\0\0\0'),
  'image/webp': bytesOf('RIFF\0\0\0\0WEBP'),
  'video/mp4': bytesOf('\0\0\0\x18ftypisom'),
  'video/quicktime': bytesOf('\0\0\0\x14ftypqt  '),
};

export const MAGIC_LENGTH = 12;

/** What stands behind the magic bytes at most. */
export const FACTS_LENGTH = 64;

/**
 * The smallest file that the fake inspector reads: the type's first bytes, then `WIDTHxHEIGHT@SECONDS;`. Anything may
 * follow; `padding` bytes of zeros do.
 */
export function fakeFile({ type, width, height, time }: MediaFacts, padding = 0): Uint8Array {
  return Buffer.concat([MAGIC[type], bytesOf(`${width}x${height}@${time ?? 0};`), new Uint8Array(padding)]);
}

/** The type of a fake file, or of the beginning of a real one; null for any other. */
export function fakeTypeOf(head: Uint8Array): MediaType | null {
  if (head.length < MAGIC_LENGTH) return null;
  for (const [type, magic] of Object.entries(MAGIC)) {
    if (Buffer.compare(magic, head.subarray(0, MAGIC_LENGTH)) === 0) return type as MediaType;
  }
  return null;
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
