import {
  type MediaWithCover,
  notFound,
  type PageRequest,
  parseUuid,
  previewSizes,
  previewSubject,
  Refusal,
  type Rows,
  STORAGE_LOW,
  sliceOf,
  TRASH_PREVIEW_WIDTH,
  type TrashedMedia,
  type Uuid,
  type Workspace,
  withAdvice,
} from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports, Settings, Shared } from '../ports.ts';
import { decodeImage } from '../previews/make-previews.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';

/**
 * Finds the deleted item that a path names.
 *
 * @throws Refusal `not_found` if the id is malformed or unknown, or the caller can't enter the item's workspace
 */
export async function findTrashed(
  { trashed }: Pick<Ports, 'trashed'>,
  caller: Caller,
  id: string,
): Promise<TrashedMedia> {
  const uuid = parseUuid(id);
  const found = uuid && (await trashed.find(uuid));
  if (!found) throw notFound();
  requireAccess(caller, found.item);
  return found;
}

export const listTrash = (
  { trashed }: Pick<Ports, 'trashed'>,
  { id }: Workspace,
  search: string | undefined,
  page: PageRequest,
  signal?: AbortSignal,
): Promise<Rows<TrashedMedia>> => trashed.list(id, search, sliceOf(page), signal);

/**
 * Makes a preview of a deleted item, or of its cover: a WebP image that is {@link TRASH_PREVIEW_WIDTH} wide unless the
 * original is narrower. The preview isn't stored, because anyone who knows its link could then read it.
 *
 * @returns null if there is no image, or none that can be decoded
 * @throws Refusal `busy`, `unavailable`
 */
export async function previewTrashed(
  ports: Pick<Ports, 'storage' | 'previewMaker'> & Pick<Shared, 'shares'>,
  trashed: TrashedMedia,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const subject = previewSubject(trashed);
  const size = subject && previewSizes(subject.content).findLast(({ width }) => width <= TRASH_PREVIEW_WIDTH);
  if (!size) return null;
  const releaseSlot = await ports.shares.take('previews', subject.workspaceId, signal);
  try {
    const made = await decodeImage(ports, subject, [size], signal);
    return made === null || made === 'missing' ? null : (made.files[0] ?? null);
  } finally {
    releaseSlot();
  }
}

/**
 * Restores a deleted item. Its objects are restored first, so that the row never lacks an object. Garbage collection
 * hides them again if the row isn't restored.
 *
 * @throws Refusal `not_found` if it was restored or purged meanwhile
 */
export async function restoreMedia(
  ports: Pick<Ports, 'trashed' | 'storage' | 'clock'> & Pick<Settings, 'isPublic'>,
  { item, cover }: TrashedMedia,
  complete?: Completing<MediaWithCover>,
): Promise<MediaWithCover> {
  const fullNames = [item, cover].flatMap((gone) => gone?.fullName ?? []);
  for (const fullName of fullNames) await ports.storage.show(fullName);
  let restored: MediaWithCover | null = null;
  try {
    restored = await ports.trashed.restore(item.id, ports.clock.now(), complete);
  } finally {
    if (ports.isPublic) await (restored ? showLive(ports, fullNames) : hideTrashed(ports, fullNames));
  }
  if (!restored) throw notFound();
  return restored;
}

/** Purges an item; the {@link FenceKeeper} purges its objects. @throws Refusal `not_found` as {@link restoreMedia} */
export async function purgeTrashed(
  { trashed, clock }: Pick<Ports, 'trashed' | 'clock'>,
  { item }: TrashedMedia,
): Promise<void> {
  if (!(await trashed.purge(item.id, clock.now()))) throw notFound();
}

type DuePorts = Pick<Ports, 'trashed' | 'clock'> & Pick<Settings, 'undoTime'>;

/** Number of items or objects per query. */
const BATCH = 500;

/** Maximum number of batches that are purged while a request waits. */
const MAX_BATCHES = 10;

/**
 * Empties a workspace's trash. Up to a few thousand items are purged immediately; {@link purgeDueTrash} purges the
 * rest.
 */
export async function emptyTrash(
  { trashed, clock }: Pick<Ports, 'trashed' | 'clock'>,
  { id }: Workspace,
): Promise<void> {
  await trashed.empty(id, clock.now());
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    await turns.next();
    if ((await trashed.purgeEmptied(id, clock.now(), BATCH)) === 0) break;
  }
}

/**
 * Purges items whose trash was emptied, and items that have been in the trash for too long. Any number of calls and
 * processes may share the work.
 */
export async function purgeDueTrash({ trashed, clock, undoTime }: DuePorts, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    await turns.next();
    const now = clock.now();
    if ((await trashed.purgeDue(now - undoTime, now, BATCH)) === 0) return;
  }
}

type ArrangePorts = Pick<Ports, 'storage' | 'trashed'>;

/**
 * Hides objects whose items are in the trash or no longer exist. Objects of an item that is restored meanwhile are
 * shown again.
 */
export async function hideTrashed(ports: ArrangePorts, fullNames: readonly string[]): Promise<void> {
  const { live } = await ports.trashed.among(fullNames);
  for (const fullName of fullNames) if (!live.has(fullName)) await ports.storage.hide(fullName);
  await showLive(ports, fullNames);
}

async function showLive({ storage, trashed }: ArrangePorts, fullNames: readonly string[]): Promise<void> {
  const { live } = await trashed.among(fullNames);
  for (const fullName of live) await storage.show(fullName);
}

/**
 * Hides all objects of items in the trash and shows those of other items, because they may be in the wrong state after
 * a process was killed, objects were copied, or the bucket was changed.
 */
export async function arrangeObjects(ports: ArrangePorts, signal: AbortSignal | undefined): Promise<void> {
  let batch: { readonly key: string; readonly isHidden: boolean }[] = [];
  const arrange = async (): Promise<void> => {
    const { trashed, live } = await ports.trashed.among(batch.map(({ key }) => key));
    // A key may have both a hidden and a visible object.
    for (const { key, isHidden } of batch) {
      if (isHidden && live.has(key)) await ports.storage.show(key);
      // An object that was just shown is hidden again if its item was deleted meanwhile.
      if (isHidden ? live.has(key) : trashed.has(key)) await hideTrashed(ports, [key]);
    }
    batch = [];
  };
  for await (const { key, isHidden = false } of ports.storage.list()) {
    if (signal?.aborted) return;
    batch.push({ key, isHidden });
    if (batch.length === BATCH) await arrange();
  }
  await arrange();
}

/**
 * Waits for work. If it fails because a disk is full and the workspace's trash isn't empty, the refusal also advises
 * emptying the trash.
 *
 * @throws whatever the work throws
 */
export async function advising<T>(
  { workspaces }: Pick<Ports, 'workspaces'>,
  workspaceId: Uuid,
  work: Promise<T>,
): Promise<T> {
  return work.catch(async (error: unknown) => {
    if (!(error instanceof Refusal) || error.problem.code !== 'storage_low') throw error;
    const usage = await workspaces.usage(workspaceId);
    const message = withAdvice(error.problem.message ?? STORAGE_LOW, usage !== null && usage.trashItems > 0);
    throw new Refusal({ code: 'storage_low', message });
  });
}
