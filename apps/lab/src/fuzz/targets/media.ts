import { extname } from 'node:path';
import type { AnnouncedType } from '@postshelf/domain';
import fc from 'fast-check';
import { weighted } from '../arbitraries/text.ts';
import type { Bytes } from '../bytes/bytes.ts';
import type { MediaCase } from '../case.ts';
import { brokenMedia } from '../formats/mutation.ts';
import type { Target } from './target.ts';

const TYPES: readonly AnnouncedType[] = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'video/mp4',
  'video/quicktime',
  'image/heic',
  'image/avif',
];

const BY_EXTENSION: Readonly<Record<string, AnnouncedType>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.heic': 'image/heic',
  '.avif': 'image/avif',
};

/** Returns the type of the first seed that a file contains. */
function typeOf(file: Bytes): AnnouncedType | undefined {
  if (typeof file === 'string') return undefined;
  if ('seed' in file) return BY_EXTENSION[extname(file.seed)];
  if ('repeat' in file) return typeOf(file.repeat);
  return file.map(typeOf).find((type) => type !== undefined);
}

/** Changed media files, stored in each way. If a type is declared, it is mostly the true one. */
export const media: Target = {
  about: 'changed media files: by multipart, by signed PUT and by URL, including covers',
  cases: fc
    .record({
      way: fc.constantFrom('multipart', 'presigned', 'url'),
      lie: weighted([8, fc.constant(undefined)], [1, fc.constantFrom(...TYPES)]),
      file: brokenMedia,
    })
    .map(({ way, lie, file }): MediaCase => ({ kind: 'media', way, type: lie ?? typeOf(file) ?? 'image/png', file })),
};
