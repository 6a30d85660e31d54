import type { MediaItem } from '@postshelf/client';
import { isResumable } from '@postshelf/client/resumable';

/** A file with the names of the dropped folders that contain it, the outermost first. */
export interface FileSource {
  readonly file: File;
  readonly path: readonly string[];
}

export type Kind = 'image' | 'video';

/** The media types that the service stores. */
export const ACCEPTED: Readonly<Record<Kind, readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  video: ['video/mp4', 'video/quicktime'],
};

/** Types of images that the service converts to JPEG, and their extensions for systems that don't know the types. */
const CONVERTED = ['image/heic', 'image/heif', 'image/avif', '.heic', '.heif', '.avif'];

/** Returns the types and extensions of files that the service stores as one of these types. */
export const choosableFor = (stored: readonly string[]): readonly string[] =>
  stored.includes('image/jpeg') ? [...stored, ...CONVERTED] : stored;

/**
 * Whether the service may store a file as one of these types. A file's type is empty if the system doesn't know its
 * extension.
 */
export const mayBecome = ({ type }: Pick<File, 'type'>, stored: readonly string[]): boolean =>
  type === '' || choosableFor(stored).includes(type);

/** Types and extensions for file choosers that accept all media. */
export const CHOOSABLE: readonly string[] = choosableFor(Object.values(ACCEPTED).flat());

/** A folder, or null for the library's root. */
export interface Destination {
  readonly workspace: string;
  readonly folder: string | null;
  readonly kind?: Kind | null;
}

/**
 * - `checking`: the file's first bytes are checked;
 * - `waiting`: waiting for its turn;
 * - `sending`: being sent;
 * - `offline`, `busy`: sending failed, and is retried as soon as the network or the service is available;
 * - `paused`: paused by the user;
 * - `done`, `failed`, `cancelled`: final, unless the user retries.
 */
export type Phase =
  | 'checking'
  | 'waiting'
  | 'sending'
  | 'offline'
  | 'busy'
  | 'paused'
  | 'done'
  | 'failed'
  | 'cancelled';

export interface Upload {
  readonly id: string;
  readonly name: string;
  /** The file that is sent. */
  readonly file: Blob | null;
  /** The item in the library, once the upload is done. */
  readonly item: MediaItem | null;
  /** The file's size in bytes. */
  readonly size: number;
  /** Bytes sent so far. */
  readonly loaded: number;
  readonly phase: Phase;
  readonly problem: string | null;
  /** The item's name in the library, if the file's name was too long. */
  readonly shortenedTo: string | null;
  /** Whether the upload ended without success and a retry may succeed. */
  readonly canRetry: boolean;
}

const FINISHED: ReadonlySet<Phase> = new Set<Phase>(['done', 'failed', 'cancelled']);

/** Whether the upload can be paused; once everything is sent there is nothing to pause. */
export const canPause = (upload: Pick<Upload, 'phase' | 'size' | 'loaded'>): boolean =>
  isResumable(upload) && !isFinished(upload) && upload.phase !== 'paused' && upload.loaded < upload.size;

export const isFinished = ({ phase }: Pick<Upload, 'phase'>): boolean => FINISHED.has(phase);

/** Order in the list: running, failed and waiting uploads, then the rest. */
const PLACES: Readonly<Partial<Record<Phase, number>>> = {
  sending: 0,
  offline: 0,
  busy: 0,
  paused: 0,
  failed: 1,
  checking: 2,
  waiting: 2,
};

/**
 * Returns at most `max` uploads, in the order of {@link PLACES}. If there are more than `max`, those that are done
 * are left out.
 */
export function inOrder(uploads: readonly Upload[], max: number): Upload[] {
  const listed = uploads.length > max ? uploads.filter(({ phase }) => phase !== 'done') : uploads;
  const placeOf = ({ phase }: Upload): number => PLACES[phase] ?? 3;
  return listed.toSorted((one, other) => placeOf(one) - placeOf(other)).slice(0, max);
}

export interface Totals {
  readonly files: number;
  readonly unfinished: number;
  readonly done: number;
  readonly failed: number;
  readonly loaded: number;
  readonly size: number;
}

export function totalsOf(uploads: readonly Upload[]): Totals {
  let [unfinished, done, failed, loaded, size] = [0, 0, 0, 0, 0];
  for (const upload of uploads) {
    if (!isFinished(upload)) unfinished += 1;
    if (upload.phase === 'done') done += 1;
    if (upload.phase === 'failed') failed += 1;
    if (upload.phase === 'failed' || upload.phase === 'cancelled') continue;
    loaded += upload.loaded;
    size += upload.size;
  }
  return { files: uploads.length, unfinished, done, failed, loaded, size };
}
