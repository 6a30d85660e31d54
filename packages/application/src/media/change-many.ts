import { type MediaItem, notFound, parseUuid, Refusal, summarise, type Uuid, type Workspace } from '@postshelf/domain';
import { forEachConcurrently } from '../concurrency.ts';
import { turns } from '../fair-share/event-loop.ts';
import { requireFolder } from '../folders/check-references.ts';
import type { Ports, Shared } from '../ports.ts';
import { deleteMedia } from './delete-media.ts';
import { updateMedia } from './update-media.ts';

/** Number of items that are changed per slot; between two slots, other requests get their turn. */
const ITEMS_PER_SLOT = 25;

/** Number of items changed concurrently: transactions that commit at the same time share one sync to disk. */
const CONCURRENCY = 4;

export type ManyChange =
  | { readonly action: 'move'; readonly folderId: Uuid | null }
  | { readonly action: 'delete' }
  | { readonly action: 'tag' | 'untag'; readonly tags: readonly string[] };

export interface ChangeOutcome {
  readonly id: string;
  /** A sentence that says why the item wasn't changed; null if it was. */
  readonly problem: string | null;
}

type ChangePorts = Pick<Ports, 'folders'> & Parameters<typeof deleteMedia>[0] & Pick<Shared, 'shares'>;

interface ManyOptions {
  /** Aborting the signal stops the work between two items. */
  readonly signal: AbortSignal;
  readonly onLeftOver: (fullName: string, cause: unknown) => void;
}

/**
 * Makes the same change to many items, each as if it were requested alone. An error that would affect all items, such
 * as an unreachable database, ends the work; changes made until then stay.
 *
 * @returns outcomes in the order of the ids
 * @throws Refusal `invalid` on `folder_id`; `unavailable` and other refusals that aren't specific to one item
 */
export async function changeMany(
  ports: ChangePorts,
  workspace: Workspace,
  ids: readonly string[],
  change: ManyChange,
  { signal, onLeftOver }: ManyOptions,
): Promise<readonly ChangeOutcome[]> {
  if (change.action === 'move') await requireFolder(ports, workspace, 'folder_id', change.folderId);
  const outcomes = new Map<string, ChangeOutcome>();
  for (let start = 0; start < ids.length; start += ITEMS_PER_SLOT) {
    const some = ids.slice(start, start + ITEMS_PER_SLOT);
    const releaseSlot = await ports.shares.take('writes', workspace.id, signal);
    try {
      await forEachConcurrently(some, CONCURRENCY, async (id) => {
        await turns.next();
        outcomes.set(id, { id, problem: await problemOf(() => changeOne(ports, workspace, id, change, onLeftOver)) });
      });
    } finally {
      releaseSlot();
    }
  }
  return ids.flatMap((id) => outcomes.get(id) ?? []);
}

async function changeOne(
  ports: ChangePorts,
  workspace: Workspace,
  id: string,
  change: ManyChange,
  onLeftOver: ManyOptions['onLeftOver'],
): Promise<void> {
  const item = await findIn(ports, workspace, id);
  switch (change.action) {
    case 'delete':
      return deleteMedia(ports, item, onLeftOver);
    case 'move':
      await updateMedia(ports, item, { folderId: change.folderId });
      return;
    case 'tag':
      await updateMedia(ports, item, { addedTags: change.tags });
      return;
    case 'untag':
      await updateMedia(ports, item, { removedTags: change.tags });
  }
}

async function findIn({ media }: Pick<Ports, 'media'>, workspace: Workspace, id: string): Promise<MediaItem> {
  const uuid = parseUuid(id);
  const found = uuid && (await media.find(uuid));
  if (!found || found.item.workspaceId !== workspace.id) throw notFound();
  return found.item;
}

async function problemOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { problem } = error;
    if (problem.code === 'not_found') return 'Not found.';
    if (problem.code === 'invalid') return summarise(problem.errors);
    throw error;
  }
}
