import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';
import type { Actor } from '../people/access.ts';
import { FIRST_VERSION } from '../versions/version.ts';
import type { MediaDetails } from './details.ts';
import type { FocalPoint } from './focus.ts';
import { fullNameOf, nameFromInput } from './name.ts';
import type { MediaType } from './types.ts';

/**
 * The media state machine (docs/api.md, "Media items"):
 *
 *     (new) ── storeFile ──────▶ active
 *     (new) ── beginImport ────▶ processing ── activate ─▶ active
 *     (new) ── beginFit ───────▶ processing
 *     (new) ── beginPresigned ─▶ temporary  ── fail ─────▶ failed
 *
 * `active` and `failed` are final. The parameter of each transition accepts only the states from which it is allowed,
 * so the compiler rejects all others. Deleted is not a state: the item no longer exists.
 */
export type MediaStatus = 'active' | 'processing' | 'failed' | 'temporary';

interface MediaBase {
  readonly id: Uuid;
  readonly workspaceId: Uuid;
  readonly folderId: Uuid | null;
  /** The display name; may change. */
  readonly name: string;
  /**
   * The object's key. It is final from the start, except for imports and fits, whose final key {@link keyWhenActive}
   * returns.
   */
  readonly fullName: string;
  readonly label: string | null;
  readonly altText: string | null;
  /** The point on which crops are centred; null for the middle. */
  readonly focus: FocalPoint | null;
  /** The id of the original, if this file was fitted. The original may have been deleted since. */
  readonly fittedFrom: Uuid | null;
  /** null if the creator isn't known, as for items from earlier releases. */
  readonly createdBy: Actor | null;
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface MediaContent {
  readonly type: MediaType;
  /** Bytes. */
  readonly size: number;
  /** null if the bytes didn't pass through this service and their hash hasn't been computed in the background yet. */
  readonly sha256: string | null;
  /** Pixels, as displayed: rotation applied. */
  readonly width: number;
  readonly height: number;
  /** Whole seconds, at least 1; null for images. */
  readonly time: number | null;
  /** null until the file is inspected in the background. */
  readonly details: MediaDetails | null;
}

export interface ActiveMedia extends MediaBase {
  readonly status: 'active';
  readonly content: MediaContent;
  readonly coverOf: Uuid | null;
}

export interface ProcessingMedia extends MediaBase {
  readonly status: 'processing';
}

export interface TemporaryMedia extends MediaBase {
  readonly status: 'temporary';
}

export interface FailedMedia extends MediaBase {
  readonly status: 'failed';
  /** A sentence for people. */
  readonly errorMessage: string;
}

export type MediaItem = ActiveMedia | ProcessingMedia | TemporaryMedia | FailedMedia;

export interface MediaWithCover {
  readonly item: MediaItem;
  readonly cover: ActiveMedia | null;
}

/** Returns a version that also changes with the cover, which is shown with its item but changes independently. */
export const versionOfMedia = ({ item, cover }: MediaWithCover): number => item.version + (cover?.version ?? 0);

export interface NewMedia
  extends Omit<MediaBase, 'altText' | 'focus' | 'fittedFrom' | 'createdBy' | 'version' | 'createdAt' | 'updatedAt'> {
  readonly createdBy?: Actor | null | undefined;
  /**
   * When the file was originally made, in milliseconds, if it existed before the upload. If the time is absent or in
   * the future, the current time is used.
   */
  readonly createdAt?: number | undefined;
}

const timestamped = ({ createdBy, createdAt, ...details }: NewMedia, now: number): MediaBase => ({
  ...details,
  createdBy: createdBy ?? null,
  altText: null,
  focus: null,
  fittedFrom: null,
  version: FIRST_VERSION,
  createdAt: Math.min(createdAt ?? now, now),
  updatedAt: now,
});

export function storeFile(details: NewMedia, content: MediaContent, now: number): ActiveMedia {
  return { ...timestamped(details, now), status: 'active', content, coverOf: null };
}

/** Creates a cover, which is in no folder and is deleted with its video. */
export function storeCover(details: NewMedia, content: MediaContent, video: Uuid, now: number): ActiveMedia {
  return { ...timestamped({ ...details, folderId: null }, now), status: 'active', content, coverOf: video };
}

export function beginImport(details: NewMedia, now: number): ProcessingMedia {
  return { ...timestamped(details, now), status: 'processing' };
}

export function beginFit(
  details: Pick<NewMedia, 'id' | 'name' | 'fullName' | 'createdBy'>,
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

/**
 * Returns the final key of an item's object. The link of an item that waits for an upload already contains the key, so
 * the item keeps this key even if it is renamed.
 */
export const keyWhenActive = (item: ProcessingMedia | TemporaryMedia, type: MediaType): string =>
  item.status === 'temporary' ? item.fullName : fullNameOf(item.workspaceId, item.id, nameFromInput(item.name, type));

/** Activates an item. From then on its `fullName` is final. */
export function activate(
  item: ProcessingMedia | TemporaryMedia,
  stored: { name: string; fullName: string; content: MediaContent },
  now: number,
): ActiveMedia {
  return { ...item, ...stored, status: 'active', coverOf: null, version: item.version + 1, updatedAt: now };
}

export function fail(item: ProcessingMedia | TemporaryMedia, errorMessage: string, now: number): FailedMedia {
  return { ...item, status: 'failed', errorMessage, version: item.version + 1, updatedAt: now };
}

/** Whether an item is `active`. */
export function isUsable(item: MediaItem): item is ActiveMedia {
  return item.status === 'active';
}

export const isCover = (item: MediaItem): boolean => item.status === 'active' && item.coverOf !== null;

/**
 * Returns `folder_missing` if the item's folder belongs to another workspace or doesn't exist, or if the item is a
 * cover, which can't be in any folder. Otherwise returns null.
 */
export function refuseFolder(item: MediaItem, folder: Pick<Folder, 'workspaceId'> | null): 'folder_missing' | null {
  if (item.folderId === null) return null;
  return folder?.workspaceId === item.workspaceId && !isCover(item) ? null : 'folder_missing';
}
