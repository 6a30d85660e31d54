import {
  type ActiveMedia,
  ALIAS_LIFETIME,
  activate,
  fail,
  finalName,
  type MediaWithCover,
  type NewFile,
  type ProcessingMedia,
  StorageFull,
  type TemporaryMedia,
  type Uuid,
} from '@postshelf/domain';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { onDuplicateOf, type PendingUpload, type StoredFiles } from './store.ts';

/*
 * The fourth stage: records stored files in one transaction. The transaction also checks folders, quotas and
 * duplicates, and adds events and jobs. The jobs make previews, and covers that haven't been made because no slot was
 * free.
 */

/** Records all stored files. @returns null, and nothing is recorded, if the folder isn't in the workspace (any more) */
export async function recordAll(
  { media }: Pick<Ports, 'media'>,
  stored: StoredFiles,
  complete: Completing<readonly MediaWithCover[]>,
): Promise<readonly MediaWithCover[] | null> {
  const rows = stored.files.flatMap(({ item, cover }) => (cover && cover !== 'due' ? [item, cover] : [item]));
  const due = stored.files.filter(({ cover }) => cover === 'due').map(({ item }) => item.id);
  const items = stored.files.map(withoutDueCover);
  const outcome = await stored.whileRecording(
    () => media.insert(rows, due, complete?.(items)),
    (inserted) => (inserted === 'kept' ? items : []),
  );
  return outcome === 'kept' ? items : null;
}

const withoutDueCover = ({ item, cover }: NewFile): MediaWithCover => ({ item, cover: cover === 'due' ? null : cover });

/** Records the files whose bytes no other item has. @param known hashes whose items were already found */
export const recordNew = (
  { uploads }: Pick<Ports, 'uploads'>,
  stored: StoredFiles,
  workspaceId: Uuid,
  known: readonly string[],
  complete: Completing<ReadonlyMap<string, MediaWithCover>>,
): ReturnType<Ports['uploads']['insertNew']> =>
  stored.whileRecording(
    () => uploads.insertNew(workspaceId, stored.files, known, complete),
    (inserted) => (typeof inserted === 'string' ? [] : inserted.values()),
  );

/**
 * How the wait of an item for its file ended. `done`: it is active, or an alias of a duplicate; `failed`: the item has
 * the reason; `lost`: it was deleted, or the lease was lost.
 */
export type PendingEnd = 'done' | 'failed' | 'lost';

/**
 * Records the file of an item that waited for it.
 *
 * @param stored the stored file with its final key; the name is taken from the item's current row instead
 */
export async function recordPending(
  { media, clock }: Pick<Ports, 'media' | 'clock'>,
  pending: PendingUpload,
  stored: StoredFiles,
): Promise<PendingEnd> {
  const onDuplicate = onDuplicateOf(pending);
  const [file] = stored.files;
  if (!file) throw new Error(`No file was stored for ${pending.item.id}.`);
  const { fullName, content } = file.item;
  const become = (current: ProcessingMedia | TemporaryMedia): ActiveMedia =>
    activate(current, { name: finalName(current.name, content.type), fullName, content }, clock.now());
  const keptFiles = async (isRecorded: boolean) => {
    if (!isRecorded || (onDuplicate === 'return' && !(await media.findStored(file.item.id)))) return [];
    return [withoutDueCover(file)];
  };
  try {
    const isRecorded = await stored.whileRecording(
      () =>
        pending.record((current) => ({
          item: become(current),
          cover: file.cover,
          ...(onDuplicate === 'return' && { aliasUntil: clock.now() + ALIAS_LIFETIME }),
        })),
      keptFiles,
    );
    return isRecorded ? 'done' : 'lost';
  } catch (cause) {
    if (!(cause instanceof StorageFull)) throw cause;
    // The failure is recorded before the object is removed. Otherwise another owner could make the item active in
    // between.
    return (await recordFailure({ clock }, pending, cause.sentence)) ? 'failed' : 'lost';
  }
}

/**
 * Records that an item has failed.
 *
 * @param reason a sentence
 * @returns false if the lease was lost, or the item deleted
 */
export const recordFailure = (
  { clock }: Pick<Ports, 'clock'>,
  { record }: Pick<PendingUpload, 'record'>,
  reason: string,
): Promise<boolean> =>
  record((current: ProcessingMedia | TemporaryMedia) => ({ item: fail(current, reason, clock.now()), cover: null }));

/** Makes the item an alias of the one that has the same bytes. @returns false if the latter no longer exists */
export const recordAlias = (
  { clock }: Pick<Ports, 'clock'>,
  { record }: PendingUpload,
  sha256: string,
): Promise<boolean> => record(() => ({ item: null, sha256, aliasUntil: clock.now() + ALIAS_LIFETIME }));
