import { type Candidate, checkReadiness, findTarget, type Readiness } from '@postshelf/domain/readiness';
import { FileReader, textAt, UnreadableFile } from './file-reader.ts';
import { gifHeader, type ImageHeader, jpegHeader, pngHeader, webpHeader } from './image-header.ts';
import { videoHeader } from './video-header.ts';

// `build.mjs` bundles this module and its dependencies into one, which the first call of `checkFile` loads.

type ImageType = Extract<Candidate['type'], `image/${string}`>;

const IMAGES: Readonly<Record<ImageType, (file: FileReader) => Promise<ImageHeader>>> = {
  'image/jpeg': jpegHeader,
  'image/png': pngHeader,
  'image/gif': gifHeader,
  'image/webp': webpHeader,
};

/**
 * The same facts that the service reads from a file, found in a few slices of it.
 *
 * @throws UnreadableFile if it has none of the six supported types, or its headers don't parse
 */
export async function readCandidate(file: Blob): Promise<Candidate> {
  const reader = new FileReader(file);
  const type = await typeOf(reader);
  const base = { id: null, type, size: file.size };
  if (type === 'video/mp4' || type === 'video/quicktime') {
    const { width, height, details } = await videoHeader(reader);
    const time = details.durationMs === null ? null : Math.max(1, Math.round(details.durationMs / 1000));
    return { ...base, width, height, time, details: { image: null, video: details } };
  }
  const { width, height, frames } = await IMAGES[type](reader);
  return { ...base, width, height, time: null, details: { image: { frames, hasAlpha: null }, video: null } };
}

/** The file's type by its first bytes; its name is ignored. */
async function typeOf(file: FileReader): Promise<Candidate['type']> {
  const head = await file.read(0, 16);
  if (head.getUint16(0) === 0xffd8) return 'image/jpeg';
  if (head.getUint32(0) === 0x89504e47) return 'image/png';
  if (textAt(head, 0, 4) === 'GIF8') return 'image/gif';
  if (textAt(head, 0, 4) === 'RIFF' && textAt(head, 8, 4) === 'WEBP') return 'image/webp';
  return textAt(head, 4, 4) === 'ftyp' && textAt(head, 8, 4) !== 'qt  ' ? 'video/mp4' : 'video/quicktime';
}

/** @throws UnreadableFile; RangeError for an unknown target */
export async function check(file: Blob, targets: readonly string[]): Promise<readonly Readiness[]> {
  const found = targets.map((name) => {
    const target = findTarget(name);
    if (!target) throw new RangeError(`There is no target ${name}.`);
    return target;
  });
  const candidate = await readCandidate(file).catch((cause: unknown) => {
    if (cause instanceof UnreadableFile) throw cause;
    throw new UnreadableFile('The file does not parse.', { cause });
  });
  return found.map((target) => checkReadiness(target, [candidate]));
}
