import { ForwardReader, fourCc, Unsupported, viewOf } from '@postshelf/domain/formats';
import {
  busiestDay,
  type Candidate,
  checkPostsPerDay,
  checkReadiness,
  findTarget,
  type Readiness,
  type ReadinessProblem,
  targetsOfNetwork,
} from '@postshelf/domain/readiness';
import { gifHeader, type ImageHeader, jpegHeader, pngHeader, webpHeader } from './image-header.ts';
import { sourceOf } from './source-of.ts';
import { UnreadableFile } from './unreadable-file.ts';
import { videoHeader } from './video-header.ts';

// `build.mjs` makes this module a bundle of its own, which the first call of `checkFile` loads.

const FETCH = 64 * 1024;

type ImageType = Extract<Candidate['type'], `image/${string}`>;

const IMAGES: Readonly<Record<ImageType, (reader: ForwardReader) => Promise<ImageHeader>>> = {
  'image/jpeg': jpegHeader,
  'image/png': pngHeader,
  'image/gif': gifHeader,
  'image/webp': webpHeader,
};

/**
 * Reads the same properties from a file as the service does, but reads only a few slices.
 *
 * @throws UnreadableFile if it has none of the six supported types, or its headers don't parse
 */
export async function readCandidate(file: Blob): Promise<Candidate> {
  const type = await typeOf(file);
  const base = { id: null, type, size: file.size };
  if (type === 'video/mp4' || type === 'video/quicktime') {
    const { width, height, details } = await videoHeader(file, type);
    const time = details.durationMs === null ? null : Math.max(1, Math.round(details.durationMs / 1000));
    return { ...base, width, height, time, details: { image: null, video: details } };
  }
  const { width, height, orientation, frames } = await IMAGES[type](
    new ForwardReader(sourceOf(file), { fetch: FETCH }),
  );
  // Orientations 5 to 8 include a quarter turn.
  const shown = orientation >= 5 ? { width: height, height: width } : { width, height };
  return { ...base, ...shown, time: null, details: { image: { frames, hasAlpha: null }, video: null } };
}

/** Detects the file's type from its content; the name is ignored. */
async function typeOf(file: Blob): Promise<Candidate['type']> {
  const head = viewOf(await sourceOf(file).read(0, 16));
  if (head.byteLength < 16) throw new UnreadableFile('The file is too short.');
  if (head.getUint16(0) === 0xffd8) return 'image/jpeg';
  if (head.getUint32(0) === 0x89504e47) return 'image/png';
  if (fourCc(head, 0) === 'GIF8') return 'image/gif';
  if (fourCc(head, 0) === 'RIFF' && fourCc(head, 8) === 'WEBP') return 'image/webp';
  return fourCc(head, 4) === 'ftyp' && fourCc(head, 8) !== 'qt  ' ? 'video/mp4' : 'video/quicktime';
}

/** Checks a file against targets. @throws UnreadableFile; RangeError for an unknown target */
export async function check(file: Blob, targets: readonly string[]): Promise<readonly Readiness[]> {
  const found = targets.map((name) => {
    const target = findTarget(name);
    if (!target) throw new RangeError(`There is no target ${name}.`);
    return target;
  });
  const candidate = await readCandidate(file).catch((cause: unknown) => {
    if (cause instanceof UnreadableFile) throw cause;
    if (cause instanceof Unsupported) throw new UnreadableFile(`The file ${cause.message}`, { cause });
    throw new UnreadableFile('The file cannot be parsed.', { cause });
  });
  return found.map((target) => checkReadiness(target, [candidate]));
}

/**
 * Returns a network's most severe problem with a profile's busiest 24 hours.
 *
 * @param times in milliseconds since 1970
 */
export function checkDay(network: string, times: readonly number[]): ReadinessProblem | null {
  const posts = busiestDay(times);
  const problems = targetsOfNetwork(network).flatMap((target) => checkPostsPerDay(target, posts));
  return problems.find(({ severity }) => severity === 'error') ?? problems[0] ?? null;
}
