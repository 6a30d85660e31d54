import {
  type ActiveMedia,
  isUsable,
  type LinkSignature,
  type MediaQuery,
  type MediaWithCover,
  notFound,
  type PageRequest,
  type PreviewFacts,
  parseUuid,
  previewSubject,
  type Rows,
  type StoredObject,
  sliceOf,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { requireFolder } from '../folders/check-references.ts';
import { type AdmittedLink, admitLink } from '../links/links.ts';
import type { Ports } from '../ports.ts';
import { type Caller, requireAccess } from '../tokens/permissions.ts';

/**
 * Finds the media item that a path names.
 *
 * @throws Refusal `not_found` if the id is malformed or unknown, or the caller can't enter the item's workspace
 */
export async function findMedia(ports: Pick<Ports, 'media'>, caller: Caller, id: string): Promise<MediaWithCover> {
  const uuid = parseUuid(id);
  const found = uuid && (await ports.media.find(uuid));
  if (!found) throw notFound();
  requireAccess(caller, found.item);
  return found;
}

/** Lists media items, but not covers. @throws Refusal `invalid` if `folder_id` isn't a folder of the workspace */
export async function listMedia(
  ports: Pick<Ports, 'media' | 'folders'>,
  workspace: Workspace,
  query: MediaQuery,
  page: PageRequest,
  signal?: AbortSignal,
): Promise<Rows<MediaWithCover>> {
  await requireFolder(ports, workspace, 'folder_id', query.folderId);
  return ports.media.list(workspace.id, query, sliceOf(page), signal);
}

/** Lists the tags that the workspace's items have. */
export const listTags = (
  { media }: Pick<Ports, 'media'>,
  { id }: Workspace,
  page: PageRequest,
  signal?: AbortSignal,
): Promise<Rows<string>> => media.listTags(id, sliceOf(page), signal);

export interface IncludedData {
  readonly tags: ReadonlyMap<Uuid, readonly string[]> | null;
  /** Properties of the previews, by the id of the image that they are made from ({@link previewSubject}). */
  readonly previews: ReadonlyMap<Uuid, PreviewFacts> | null;
  /** Names of the items' creators, by the creator's id; creators that no longer exist are omitted. */
  readonly names: ReadonlyMap<Uuid, string> | null;
  /** Number of posts by item; items that are in no post are omitted. */
  readonly posts: ReadonlyMap<Uuid, number> | null;
}

/**
 * Finds the data that responses include on request, for items of one workspace. The number of queries doesn't depend on
 * the number of items.
 *
 * @throws Refusal `busy` if a query has to scan a table and too many callers are waiting to do the same
 */
export async function findIncluded(
  ports: Pick<Ports, 'media' | 'previews' | 'people'>,
  workspaceId: Uuid,
  items: readonly MediaWithCover[],
  include: { readonly details: boolean; readonly usage: boolean },
  signal?: AbortSignal,
): Promise<IncludedData> {
  const ids = items.map(({ item }) => item.id);
  const subjects = items.flatMap((media) => previewSubject(media)?.id ?? []);
  return {
    tags: include.details ? await ports.media.tagsOf(ids) : null,
    previews: include.details ? await ports.previews.factsOf(subjects) : null,
    names: include.details ? await ports.people.namesOf(items.flatMap(({ item }) => item.createdBy ?? [])) : null,
    posts: include.usage ? await ports.media.postsOf(workspaceId, ids, signal) : null,
  };
}

export interface LinkedItem extends AdmittedLink {
  readonly item: ActiveMedia;
}

/** For use cases that aren't called with a link from a request, and so have no signature to check. */
const UNSIGNED: LinkSignature = { expires: null, signature: null };

/**
 * Finds the active item of a `link` by its full name. Returns null if there is no such item, or its workspace is being
 * deleted.
 *
 * @throws Refusal `forbidden` if the workspace's links must be signed and this link isn't
 */
export async function findLinked(
  ports: Pick<Ports, 'media' | 'workspaces' | 'linkSigner' | 'clock'>,
  fullName: string,
  signature = UNSIGNED,
): Promise<LinkedItem | null> {
  const admitted = await admitLink(ports, `files/${fullName}`, signature);
  const id = admitted && parseUuid(fullName.split('/')[1]);
  const found = id && (await ports.media.find(id));
  if (!found || found.item.fullName !== fullName || !isUsable(found.item)) return null;
  return { item: found.item, ...admitted };
}

/**
 * Finds the item of a `link` ({@link findLinked}) and opens its object. Returns null if either doesn't exist.
 *
 * @param onMissing called for an active item without its object, unless the item was deleted meanwhile
 * @throws Refusal `forbidden`
 */
export async function openMedia(
  ports: Pick<Ports, 'media' | 'storage' | 'workspaces' | 'linkSigner' | 'clock'>,
  fullName: string,
  onMissing: (item: ActiveMedia) => void = () => undefined,
  signature = UNSIGNED,
): Promise<(LinkedItem & { readonly object: StoredObject }) | null> {
  const linked = await findLinked(ports, fullName, signature);
  if (linked === null) return null;
  const object = await ports.storage.open(fullName);
  if (object === null && (await findLinked(ports, fullName, signature)) !== null) onMissing(linked.item);
  return object && { ...linked, object };
}
