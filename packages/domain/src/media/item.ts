import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';
import type { MediaDetails } from './details.ts';
import type { MediaType } from './types.ts';

/**
 * The media state machine (docs/api.md, "Media items"):
 *
 *     (new) ── storeFile ──────▶ active
 *     (new) ── beginImport ────▶ processing ── activate ─▶ active
 *     (new) ── beginFit ───────▶ processing
 *     (new) ── beginPresigned ─▶ temporary  ── fail ─────▶ failed
 *
 * `active` and `failed` are final. A transition takes only the states it may leave, so the compiler refuses all others.
 * Deleted is not a state: the item doesn't exist any more.
 */
export type MediaStatus = 'active' | 'processing' | 'failed' | 'temporary';

interface MediaBase {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly folderId: Uuid | null;
  /** The display name; may change. */
  readonly name: string;
  /** The object's key; never changes once the item is active. */
  readonly fullName: string;
  readonly label: string | null;
  /** Describes the image where it can't be seen. */
  readonly altText: string | null;
  /** The item from which this one was made to fit a target; it may be deleted by now. null for all others. */
  readonly fittedFrom: Uuid | null;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What inspection found in the stored bytes. */
export interface MediaContent {
  readonly type: MediaType;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, lower-case hex; null if they never passed through this service. */
  readonly sha256: string | null;
  /** Pixels, as displayed: rotation applied. */
  readonly width: number;
  readonly height: number;
  /** Whole seconds, at least 1; null for images. */
  readonly time: number | null;
  /** null until the file is inspected: versions without details stored it, and it is inspected in the background. */
  readonly details: MediaDetails | null;
}

export interface ActiveMedia extends MediaBase {
  readonly status: 'active';
  readonly content: MediaContent;
  /** The video that this item is the cover of; null for everything else. */
  readonly coverOf: Uuid | null;
}

/** An unfinished import by URL, or an unfinished fit. */
export interface ProcessingMedia extends MediaBase {
  readonly status: 'processing';
}

/** A presigned upload that wasn't confirmed yet. */
export interface TemporaryMedia extends MediaBase {
  readonly status: 'temporary';
}

export interface FailedMedia extends MediaBase {
  readonly status: 'failed';
  /** Why, for people. */
  readonly errorMessage: string;
}

export type MediaItem = ActiveMedia | ProcessingMedia | TemporaryMedia | FailedMedia;

/** A media item beside its cover: what every answer shows. */
export interface MediaWithCover {
  readonly item: MediaItem;
  readonly cover: ActiveMedia | null;
}

export type NewMedia = Omit<MediaBase, 'altText' | 'fittedFrom' | 'createdAt' | 'updatedAt'>;

const timestamped = (details: NewMedia, now: number): MediaBase => ({
  ...details,
  altText: null,
  fittedFrom: null,
  createdAt: now,
  updatedAt: now,
});

/** Makes an item of a file whose bytes are stored and inspected. */
export function storeFile(details: NewMedia, content: MediaContent, now: number): ActiveMedia {
  return { ...timestamped(details, now), status: 'active', content, coverOf: null };
}

/** The cover of a video: an item of its own, in no folder, that goes with its video. */
export function storeCover(details: NewMedia, content: MediaContent, video: Uuid, now: number): ActiveMedia {
  return { ...timestamped({ ...details, folderId: null }, now), status: 'active', content, coverOf: video };
}

export function beginImport(details: NewMedia, now: number): ProcessingMedia {
  return { ...timestamped(details, now), status: 'processing' };
}

/** A file that is to be made from another: in the same folder, with the same label and alt text. */
export function beginFit(
  details: Pick<NewMedia, 'id' | 'name' | 'fullName'>,
  original: ActiveMedia,
  now: number,
): ProcessingMedia {
  const { id: fittedFrom, workspaceId, folderId, label, altText } = original;
  return {
    ...timestamped({ ...details, workspaceId, folderId, label }, now),
    altText,
    fittedFrom,
    status: 'processing',
  };
}

export function beginPresigned(details: NewMedia, now: number): TemporaryMedia {
  return { ...timestamped(details, now), status: 'temporary' };
}

/** Makes an item active once its bytes are stored and valid; only now are its name and path final. */
export function activate(
  item: ProcessingMedia | TemporaryMedia,
  stored: { name: string; fullName: string; content: MediaContent },
  now: number,
): ActiveMedia {
  return { ...item, ...stored, status: 'active', coverOf: null, updatedAt: now };
}

export function fail(item: ProcessingMedia | TemporaryMedia, errorMessage: string, now: number): FailedMedia {
  return { ...item, status: 'failed', errorMessage, updatedAt: now };
}

/** Whether an item is served and can be attached to a post: only `active` items are, and no covers. */
export function isUsable(item: MediaItem): item is ActiveMedia {
  return item.status === 'active';
}

export const isCover = (item: MediaItem): boolean => item.status === 'active' && item.coverOf !== null;

/**
 * Why an item can't be in the folder that it names; null if it can. A folder holds media of its own workspace; a cover
 * is in no folder of its own.
 *
 * @param folder the folder of the item's `folderId`; null if it doesn't exist (any more)
 */
export function refuseFolder(item: MediaItem, folder: Pick<Folder, 'workspaceId'> | null): 'folder_missing' | null {
  if (item.folderId === null) return null;
  return folder?.workspaceId === item.workspaceId && !isCover(item) ? null : 'folder_missing';
}
