import type { Uuid } from '../ids.ts';
import type { Rows, Slice } from '../pagination/page.ts';
import type { RepeatCompletion } from '../repeats/repeat-repository.ts';
import type { ExpectedVersions } from '../versions/version.ts';
import type { MediaDetails } from './details.ts';
import type { FocalPoint } from './focus.ts';
import type { ActiveMedia, MediaItem, MediaStatus, MediaWithCover } from './item.ts';
import type { MediaKind } from './types.ts';

/** Absent fields stay. */
export interface MediaChange {
  readonly name?: string;
  readonly label?: string | null;
  /** null: to the root of the library. */
  readonly folderId?: Uuid | null;
  readonly altText?: string | null;
  readonly focus?: FocalPoint | null;
  readonly tags?: readonly string[];
  readonly addedTags?: readonly string[];
  /** By their `tagKey`. */
  readonly removedTags?: readonly string[];
  /** Takes the place of the video's cover, whose deletion is recorded, and of one that is still to be made. */
  readonly cover?: ActiveMedia;
}

export interface UpdatedMedia extends MediaWithCover {
  /** The cover that another one has replaced, which has no row any more; absent if none was. */
  readonly replacedCover?: ActiveMedia;
}

/** All conditions hold. */
export interface MediaFilter {
  /** null: at the root. */
  readonly folderId?: Uuid | null;
  readonly status?: MediaStatus;
  /** Items of unknown type are of neither kind. */
  readonly kind?: MediaKind;
  /** Words: each in the name, the label, a tag or the alt text; case ignored. */
  readonly search?: string;
  readonly from?: number;
  readonly to?: number;
  /** The item has all of them; case ignored. */
  readonly tags?: readonly string[];
  /** Lower-case hex. */
  readonly sha256?: string;
}

/** Ties by id, in the same direction. */
export interface MediaSort {
  /** `name` sorts equal ones by label; `size` sorts items without one first. */
  readonly by: 'updated_at' | 'created_at' | 'name' | 'size';
  readonly descending: boolean;
}

export const DEFAULT_MEDIA_SORT: MediaSort = { by: 'updated_at', descending: true };

export interface MediaQuery extends MediaFilter {
  readonly sort?: MediaSort;
}

/** Covers included. */
export interface UninspectedPage {
  readonly ids: readonly Uuid[];
  readonly next: Uuid | null;
}

export interface InspectedFile {
  readonly details: MediaDetails;
  /** null if it can't be computed. */
  readonly sha256: string | null;
}

/** Covers are found by id but never listed. */
export interface MediaRepository {
  /**
   * All or none; a cover may come with its video.
   *
   * @param coversDue whose covers are made later
   * @returns `folder_missing`, and nothing is inserted, if a folder isn't one of the workspace
   */
  insert(
    items: readonly MediaItem[],
    coversDue?: readonly Uuid[],
    completion?: RepeatCompletion,
  ): Promise<'kept' | 'folder_missing'>;
  find(id: Uuid): Promise<MediaWithCover | null>;
  /** In the trash, too. */
  findStored(id: Uuid): Promise<MediaItem | null>;
  /** `total` counts all. @throws Refusal `busy`; also once the signal is aborted */
  list(workspaceId: Uuid, query: MediaQuery, slice: Slice, signal?: AbortSignal): Promise<Rows<MediaWithCover>>;
  /** Of the workspace's items by `tagKey`, each once, the first `MAX_LISTED_TAGS`. @throws Refusal as {@link list} */
  listTags(workspaceId: Uuid, slice: Slice, signal?: AbortSignal): Promise<Rows<string>>;
  /** As given; items without are left out. At most 100 at a time. */
  tagsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, readonly string[]>>;
  /** Items without are left out. At most 100 at a time. @throws Refusal as {@link list} */
  postsOf(workspaceId: Uuid, ids: readonly Uuid[], signal?: AbortSignal): Promise<ReadonlyMap<Uuid, number>>;
  /** Changes nothing with `folder_missing`, or `too_many_tags` above `MAX_TAGS`. @throws Refusal `changed` */
  update(
    id: Uuid,
    change: MediaChange,
    now: number,
    expected?: ExpectedVersions,
  ): Promise<UpdatedMedia | 'folder_missing' | 'too_many_tags' | null>;
  /**
   * Ends the job of a video's cover, which is stored with it (null: there will be none), in one transaction. False, and
   * nothing stored, if the owner doesn't hold the job.
   */
  finishCover(id: Uuid, owner: string, cover: ActiveMedia | null): Promise<boolean>;
  /**
   * With its cover. Returns the full names of objects without a row now, to one caller alone; `in_use`, and it stays,
   * if a post uses it.
   *
   * @param recordedAt of the recorded deletions; undefined: none
   * @throws Refusal `changed`
   */
  remove(id: Uuid, recordedAt?: number, expected?: ExpectedVersions): Promise<readonly string[] | 'in_use' | null>;
  /** By id, covers and the trash included: whatever needs its object. */
  listActive(after: Uuid | null, limit: number): Promise<readonly ActiveMedia[]>;
  /**
   * Active items without details or hash, by id, without those whose hash can't be computed. A page may be short
   * although others follow.
   */
  listUninspected(after: Uuid | null, limit: number): Promise<UninspectedPage>;
  /**
   * Stores what isn't known; nothing else changes. {@link listUninspected} leaves the item out then, without a hash
   * until an {@link update}.
   */
  storeInspected(id: Uuid, file: InspectedFile): Promise<boolean>;
  /** Of recorded deletions, of the trash, and of rows whose item isn't `failed`. At most 1,000 at a time. */
  existingFullNames(fullNames: readonly string[]): Promise<ReadonlySet<string>>;
}
