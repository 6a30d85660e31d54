import {
  type ActiveMedia,
  activate,
  finalName,
  keyWhenActive,
  type MediaWithCover,
  type OnDuplicate,
  UnusableName,
  type Uuid,
} from '@postshelf/domain';
import type { StagedItem } from '../covers/stage-cover.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import type { InspectedFile } from './inspect.ts';
import { type PendingEnd, recordAlias, recordAll, recordFailure, recordNew, recordPending } from './record.ts';
import { onDuplicateOf, type PendingUpload, StoredFiles, type StorePorts } from './store.ts';

export type MakeActivePorts = StorePorts & Pick<Ports, 'duplicates'>;

export type MakePorts = MakeActivePorts & Pick<Ports, 'uploads'>;

/**
 * Stores and records the files of a request as items: either all of them or none. If `onDuplicate` is `return` and an
 * item with the same bytes already exists, the file isn't stored, and that item is returned. If several files of the
 * request are equal, only one of them is stored.
 *
 * @param signal aborted when the client has disconnected: nothing is stored then
 * @returns an item for each file, in order; null, and nothing is stored, if the folder isn't in the workspace (any
 *   more)
 */
export async function makeItems(
  ports: MakePorts,
  workspaceId: Uuid,
  files: readonly StagedItem[],
  onDuplicate: OnDuplicate,
  signal?: AbortSignal,
  complete?: Completing<readonly MediaWithCover[]>,
): Promise<readonly MediaWithCover[] | null> {
  const stored = new StoredFiles(ports);
  try {
    if (onDuplicate === 'return') return await makeNew(ports, stored, workspaceId, files, signal, complete);
    await stored.store(files, signal);
    return await recordAll(ports, stored, complete);
  } finally {
    await stored.end();
  }
}

async function makeNew(
  { uploads, duplicates }: Pick<Ports, 'uploads' | 'duplicates'>,
  stored: StoredFiles,
  workspaceId: Uuid,
  files: readonly StagedItem[],
  signal: AbortSignal | undefined,
  complete: Completing<readonly MediaWithCover[]>,
): Promise<readonly MediaWithCover[] | null> {
  const byHash = firstByHash(files);
  const known = new Map<string, MediaWithCover>();
  for (const sha256 of byHash.keys()) {
    const found = await duplicates.find(workspaceId, sha256);
    if (found) known.set(sha256, found);
  }
  const others = [...byHash].filter(([sha256]) => !known.has(sha256)).map(([, file]) => file);
  // An item already exists for every file. It doesn't matter if one is deleted now, because it existed during the
  // request.
  if (others.length === 0) return inOrder(files, known);
  await stored.store(others, signal);
  const completeInOrder: Completing<ReadonlyMap<string, MediaWithCover>> =
    complete && ((items) => complete(inOrder(files, items)));
  let items = await recordNew({ uploads }, stored, workspaceId, [...known.keys()], completeInOrder);
  if (items === 'gone') {
    // An item was deleted meanwhile. To prevent further retries, every file is stored now, even if it has a duplicate.
    await stored.store(
      [...byHash.values()].filter((file) => !others.includes(file)),
      signal,
    );
    items = await recordNew({ uploads }, stored, workspaceId, [], completeInOrder);
  }
  return typeof items === 'string' ? null : inOrder(files, items);
}

const hashOf = ({ item }: StagedItem): string => {
  const { sha256 } = item.content;
  if (sha256 === null) throw new Error(`The hash of ${item.id} is not known.`);
  return sha256;
};

function firstByHash(files: readonly StagedItem[]): ReadonlyMap<string, StagedItem> {
  const byHash = new Map<string, StagedItem>();
  for (const file of files) if (!byHash.has(hashOf(file))) byHash.set(hashOf(file), file);
  return byHash;
}

const inOrder = (
  files: readonly StagedItem[],
  byHash: ReadonlyMap<string, MediaWithCover>,
): readonly MediaWithCover[] => files.flatMap((file) => byHash.get(hashOf(file)) ?? []);

/**
 * Makes an item that waited for its file `active`, under the item's lease. Does nothing if the lease was lost. If the
 * file is a duplicate and the client wants the existing item, the item becomes an alias of that item instead. If the
 * file exceeds the workspace's quota, or the storage can't have an object with its name, the item becomes `failed`.
 *
 * @param signal aborted when the client no longer waits for the cover
 */
export async function makeActive(
  ports: MakeActivePorts,
  pending: PendingUpload,
  { object, content }: InspectedFile,
  signal?: AbortSignal,
): Promise<PendingEnd> {
  const { sha256, type } = content;
  const isKnown =
    onDuplicateOf(pending) === 'return' &&
    sha256 !== null &&
    (await ports.duplicates.find(pending.item.workspaceId, sha256)) !== null;
  // A duplicate is looked up first, so that no cover is made and nothing is stored for it.
  if (isKnown && (await recordAlias(ports, pending, sha256))) return 'done';
  const names = { name: finalName(pending.item.name, type), fullName: keyWhenActive(pending.item, type) };
  const item: ActiveMedia = activate(pending.item, { ...names, content }, ports.clock.now());
  const stored = new StoredFiles(ports, pending);
  try {
    const isStored = await stored.store([{ item, object }], signal);
    return isStored ? await recordPending(ports, pending, stored) : 'lost';
  } catch (cause) {
    if (!(cause instanceof UnusableName)) throw cause;
    return (await recordFailure(ports, pending, cause.sentence)) ? 'failed' : 'lost';
  } finally {
    await stored.end();
  }
}
