import {
  type ActiveMedia,
  type Digester,
  type InspectedFile,
  isSound,
  kindOf,
  type MediaDetails,
  type StoredObject,
} from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import { chunksOf, sourceOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';

/** Milliseconds to wait before a file that couldn't be read is read again. */
const RETRY_TIME = 1000;

export type ReadPorts = Pick<Ports, 'storage' | 'marker' | 'library' | 'inspector' | 'digest'>;

/** The result of reading a file; fields are null if they couldn't be read. */
export interface ReadItem extends InspectedFile {
  /** `unreadable`: the file exists, but reading it fails. */
  readonly outcome: 'sound' | 'damaged' | 'missing' | 'unreadable';
  readonly cause?: unknown;
}

export interface ReadOptions {
  /** Aborting the signal makes the outcome `unreachable`. */
  readonly signal: AbortSignal;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/**
 * Reads the details and the hash that an active item lacks. The file counts as missing or unreadable only after two
 * failed attempts. If the storage isn't reachable between the attempts, or doesn't belong to this library, the outcome
 * is `unreachable`.
 */
export async function readItem(
  ports: ReadPorts,
  item: ActiveMedia,
  { signal, wait }: ReadOptions,
): Promise<ReadItem | 'unreachable'> {
  const first = await tryToRead(ports, item, signal);
  if (isRead(first)) return first;
  if (signal.aborted || !(await isInReach(ports))) return 'unreachable';
  await wait(RETRY_TIME);
  const second = await tryToRead(ports, item, signal);
  return signal.aborted ? 'unreachable' : second;
}

const isRead = ({ outcome }: ReadItem): boolean => outcome === 'sound' || outcome === 'damaged';

async function tryToRead(ports: ReadPorts, item: ActiveMedia, signal: AbortSignal): Promise<ReadItem> {
  try {
    const object = await ports.storage.open(item.fullName);
    return object === null ? { outcome: 'missing', ...nothingOf(item) } : await readObject(ports, item, object, signal);
  } catch (cause) {
    return { outcome: 'unreadable', ...nothingOf(item), cause };
  }
}

async function readObject(
  { inspector, digest }: ReadPorts,
  item: ActiveMedia,
  object: StoredObject,
  signal: AbortSignal,
): Promise<ReadItem> {
  const { size, sha256, details: known } = item.content;
  // If the size is wrong, the bytes aren't hashed: with their hash in the row, a repair would reject the correct file.
  if (object.size !== size) return { outcome: 'damaged', ...nothingOf(item) };
  const verdict = known === null ? await inspector.inspect(sourceOf(object)) : null;
  const details = isSound(verdict) ? verdict.details : known;
  // Earlier releases accepted some files that are refused now. Such a file is complete unless the verdict is `damaged`.
  const isWhole = known !== null || (verdict !== null && verdict !== 'damaged');
  return {
    outcome: isWhole ? 'sound' : 'damaged',
    details: detailsFor(item, details) ?? nothingOf(item).details,
    sha256: sha256 ?? (await hashObject(digest, object, signal)),
  };
}

function detailsFor(item: ActiveMedia, details: MediaDetails | null): MediaDetails | null {
  return details?.[kindOf(item.content.type)] ? details : null;
}

const nothingOf = ({ content }: ActiveMedia): InspectedFile => ({
  details:
    kindOf(content.type) === 'image'
      ? { image: { frames: null, hasAlpha: null }, video: null }
      : { image: null, video: UNKNOWN_FILM },
  sha256: null,
});

const UNKNOWN_FILM = {
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

async function hashObject(digest: Digester, object: StoredObject, signal: AbortSignal): Promise<string> {
  const { size, sha256 } = await digest(whileWanted(chunksOf(object), signal));
  if (size !== object.size) throw new Error(`The file ended at ${size} of ${object.size} bytes.`);
  return sha256;
}

async function* whileWanted(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    signal.throwIfAborted();
    await turns.next();
    yield chunk;
  }
}

/**
 * Whether the storage is reachable and, by its mark, belongs to this library. Only then is an absent file really
 * missing.
 */
async function isInReach({ marker, library }: Pick<ReadPorts, 'marker' | 'library'>): Promise<boolean> {
  const own = await library.find();
  try {
    const mark = await marker.read();
    return mark !== null && mark.restoring === null && mark.library === own?.id;
  } catch {
    // The storage can't be read, whatever the reason is.
    return false;
  }
}
