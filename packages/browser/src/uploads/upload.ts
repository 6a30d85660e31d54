import type { MediaItem } from '@postshelf/client';

/** With the names of the dropped folders that contain it, the outermost first. */
export interface FileSource {
  readonly file: File;
  readonly path: readonly string[];
}

export type Kind = 'image' | 'video';

/** What is stored. */
export const ACCEPTED: Readonly<Record<Kind, readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  video: ['video/mp4', 'video/quicktime'],
};

/** Images that the service converts. Not every system knows their types. */
const CONVERTED = ['image/heic', 'image/heif', 'image/avif', '.heic', '.heif', '.avif'];

/** For the choosers of files. */
export const CHOOSABLE: Readonly<Record<Kind, readonly string[]>> = {
  image: [...ACCEPTED.image, ...CONVERTED],
  video: ACCEPTED.video,
};

/** A folder, or null for the library's root. */
export interface Destination {
  readonly workspace: string;
  readonly folder: string | null;
  readonly kind?: Kind | null;
}

/**
 * - `checking`: the file's first bytes are checked;
 * - `waiting`: for its turn;
 * - `sending`;
 * - `offline`, `busy`: sending failed, and is tried again as soon as the network or the service is available;
 * - `paused`: by the user;
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
  /** What is sent. */
  readonly file: Blob | null;
  /** In the library, once it is done. */
  readonly item: MediaItem | null;
  /** Bytes. */
  readonly size: number;
  /** Bytes. */
  readonly loaded: number;
  readonly phase: Phase;
  readonly problem: string | null;
  /** The name in the library, if the file's own was too long for it. */
  readonly shortenedTo: string | null;
  /** Whether it ended without the file, and another try may succeed. */
  readonly canRetry: boolean;
}

/** Bytes; the multipart request of a smaller file is sent as a whole or not at all. */
const MAX_IN_ONE_REQUEST = 20 * 1024 ** 2;

/** Whether an interrupted upload goes on where it was. */
export const isResumable = ({ size }: { readonly size: number }): boolean => size > MAX_IN_ONE_REQUEST;

const FINISHED: ReadonlySet<Phase> = new Set<Phase>(['done', 'failed', 'cancelled']);

/** Once all is sent there is nothing to pause. */
export const canPause = (upload: Pick<Upload, 'phase' | 'size' | 'loaded'>): boolean =>
  isResumable(upload) && !isFinished(upload) && upload.phase !== 'paused' && upload.loaded < upload.size;

export const isFinished = ({ phase }: Pick<Upload, 'phase'>): boolean => FINISHED.has(phase);

/** Places in the list: what runs, what failed, what waits for its turn, and the rest. */
const PLACES: Readonly<Partial<Record<Phase, number>>> = {
  sending: 0,
  offline: 0,
  busy: 0,
  paused: 0,
  failed: 1,
  checking: 2,
  waiting: 2,
};

/** What runs, failed ones, then all others; the first `most` are shown. */
export function inOrder(uploads: readonly Upload[], most: number): Upload[] {
  const listed = uploads.length > most ? uploads.filter(({ phase }) => phase !== 'done') : uploads;
  const placeOf = ({ phase }: Upload): number => PLACES[phase] ?? 3;
  return listed.toSorted((one, other) => placeOf(one) - placeOf(other)).slice(0, most);
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
