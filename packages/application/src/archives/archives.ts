import {
  type ActiveMedia,
  ARCHIVE_LIFE,
  type Archive,
  ATTACHMENT_REFUSALS,
  entryPaths,
  type Folder,
  invalid,
  isUsable,
  type LinkSignature,
  linkRefused,
  MAX_ARCHIVE_BYTES,
  MAX_ARCHIVES,
  MAX_FOLDER_DEPTH,
  type MediaItem,
  notFound,
  parseUuid,
  Refusal,
  refuseAttachment,
  type StoredObject,
  secondsLeft,
  signedQuery,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import { findEach } from '../find-each.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import { untilAborted } from '../objects/serve-object.ts';
import type { Ports } from '../ports.ts';
import { pruneInBatches } from '../prune-in-batches.ts';

/** Maximum number of refused items in a response: with more of them, a response could be megabytes in size. */
const MAX_REFUSED = 100;

const NOTE = 'Not included.txt';

const pathOf = ({ id, workspaceId }: Pick<Archive, 'id' | 'workspaceId'>) =>
  `archives/${workspaceId}/${id}.zip` as const;

/** A new archive, as it is returned to the caller. */
export interface SignedArchive {
  /** The path below the service's URL, with a signature. */
  readonly path: string;
  readonly expiresAt: number;
}

/**
 * Offers active items of a workspace as one ZIP file, with a link that is valid for {@link ARCHIVE_LIFE}.
 *
 * @param ids without duplicates
 * @throws Refusal `invalid` on `ids.N` unless it names an active item of the workspace, or on `ids` if the items have
 *   too many bytes; `busy` while the workspace has too many archives
 */
export async function createArchive(
  ports: Pick<Ports, 'archives' | 'media' | 'linkSigner' | 'clock' | 'ids'>,
  workspace: Workspace,
  ids: readonly Uuid[],
  complete?: Completing<SignedArchive>,
): Promise<SignedArchive> {
  const items = requireUsable(await findItems(ports, ids), workspace.id);
  const bytes = items.reduce((sum, { content }) => sum + content.size, 0);
  if (bytes > MAX_ARCHIVE_BYTES)
    throw invalid('ids', `The files have ${inGigabytes(bytes)} GB in total, but a ZIP file can have at most 20 GB.`);
  const now = ports.clock.now();
  const expires = Math.floor(now / 1000) + ARCHIVE_LIFE;
  const archive: Archive = {
    id: ports.ids.next(),
    workspaceId: workspace.id,
    mediaIds: items.map(({ id }) => id),
    expiresAt: expires * 1000,
  };
  const path = pathOf(archive);
  const signature = ports.linkSigner.sign({ key: workspace.linkKey, path, expires });
  const signed = { path: path + signedQuery(expires, signature), expiresAt: archive.expiresAt };
  const kept = await ports.archives.insert(archive, now, complete?.(signed));
  if (kept === 'gone') throw notFound();
  if (kept === 'full') throw new Refusal({ code: 'busy', message: FULL, retryAfter: 60 });
  return signed;
}

const FULL = `The workspace has ${MAX_ARCHIVES} ZIP links that have not expired yet. Each expires after 10 minutes.`;

const inGigabytes = (bytes: number): string => (Math.ceil((bytes / 1024 ** 3) * 10) / 10).toFixed(1);

/** Finds items, in the order of the ids; undefined stands for an id without an item. */
const findItems = ({ media }: Pick<Ports, 'media'>, ids: readonly Uuid[]) =>
  findEach(ids, async (id) => (await media.find(id))?.item);

function requireUsable(items: readonly (MediaItem | undefined)[], workspaceId: Uuid): readonly ActiveMedia[] {
  const usable: ActiveMedia[] = [];
  const errors: [string, readonly string[]][] = [];
  for (const [index, item] of items.entries()) {
    const refusal = refuseAttachment(item, workspaceId);
    if (refusal === null && item && isUsable(item)) usable.push(item);
    else if (errors.length < MAX_REFUSED) errors.push([`ids.${index}`, [ATTACHMENT_REFUSALS[refusal ?? 'unknown']]]);
  }
  if (errors.length > 0) throw new Refusal({ code: 'invalid', errors: Object.fromEntries(errors) });
  return usable;
}

/** A file in an archive. */
export interface ArchivedFile {
  readonly item: Pick<ActiveMedia, 'id' | 'fullName' | 'createdAt'>;
  /** Segments are separated by `/`. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
}

export interface OpenedArchive {
  readonly workspace: Workspace;
  /** The selected items that still exist. */
  readonly files: readonly ArchivedFile[];
  /** Number of selected items that were deleted after the archive was created. */
  readonly deleted: number;
  /** The path for a text that lists what is missing; no file has this path. */
  readonly notePath: string;
}

/**
 * Opens the archive that a link names, with the current names and files of its items.
 *
 * @param path below `/archives/`
 * @throws Refusal `forbidden` unless the link is signed and has not expired; `not_found` if the archive, its workspace
 *   or all of its items no longer exist
 */
export async function openArchive(
  ports: Pick<Ports, 'archives' | 'workspaces' | 'media' | 'folders' | 'linkSigner' | 'clock'>,
  path: string,
  signature: LinkSignature,
): Promise<OpenedArchive> {
  const [, workspaceId = null, id = null] = PATH.exec(path)?.map(parseUuid) ?? [];
  const workspace = workspaceId && (await ports.workspaces.find(workspaceId));
  if (!workspace || !id) throw notFound();
  const signed = { key: workspace.linkKey, path: pathOf({ id, workspaceId: workspace.id }) };
  if (secondsLeft(ports.linkSigner, signed, signature, ports.clock.now()) === null) throw linkRefused();
  const archive = await ports.archives.find(id);
  if (archive?.workspaceId !== workspace.id) throw notFound();
  const items = (await findItems(ports, archive.mediaIds)).flatMap((item) =>
    item?.workspaceId === workspace.id && isUsable(item) ? item : [],
  );
  if (items.length === 0) throw notFound();
  const foldersOf = await findFolders(ports, items);
  const named = items.map(({ name, folderId }) => ({ name, folders: foldersOf(folderId) }));
  // The note's path is chosen last, so that it doesn't influence the paths of files.
  const paths = entryPaths([...named, { name: NOTE, folders: [] }]);
  return {
    workspace,
    files: items.map(({ id, fullName, createdAt, content }, index) => ({
      item: { id, fullName, createdAt },
      path: paths[index] ?? fullName,
      size: content.size,
    })),
    deleted: archive.mediaIds.length - items.length,
    notePath: paths[items.length] ?? NOTE,
  };
}

const PATH = /^([^/]+)\/([^/]+)\.zip$/;

/** Returns a function that lists the names of the folders from the root down to a given one. */
async function findFolders(
  ports: Pick<Ports, 'folders'>,
  items: readonly Pick<MediaItem, 'folderId'>[],
): Promise<(id: Uuid | null) => readonly string[]> {
  const known = new Map<Uuid, Folder>();
  let level = new Set(items.flatMap(({ folderId }) => folderId ?? []));
  for (let depth = 0; level.size > 0 && depth < MAX_FOLDER_DEPTH; depth += 1) {
    const ids = [...level];
    const found = await findEach(ids, (id) => ports.folders.find(id));
    for (const folder of found) if (folder) known.set(folder.id, folder);
    level = new Set(ids.flatMap((id) => known.get(id)?.parentId ?? []).filter((id) => !known.has(id)));
  }
  const names = new Map<Uuid | null, readonly string[]>([[null, []]]);
  const namesDownTo = (id: Uuid | null): readonly string[] => {
    const folder = id && known.get(id);
    if (!folder) return [];
    const found = names.get(id) ?? [...namesDownTo(folder.parentId), folder.name];
    names.set(id, found);
    return found;
  };
  return namesDownTo;
}

/**
 * Opens the file of an archived item; null if its object no longer exists.
 *
 * @param signal aborted when the reader stops; this also ends a read from the storage
 */
export async function openArchived(
  { storage }: Pick<Ports, 'storage'>,
  { item }: ArchivedFile,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | null> {
  const object = await storage.open(item.fullName);
  return object && piecesUntil(object, signal);
}

/** @throws Error if the bytes end early, because the archive would otherwise look complete */
async function* piecesUntil({ size, body }: StoredObject, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const piece of untilAborted(body(), signal)) {
    read += piece.byteLength;
    // This lets other work run before the checksum of the piece is computed.
    await turns.next();
    yield piece;
  }
  if (read !== size) throw new Error(`The file ended at ${read} of ${size} bytes.`);
}

/** Removes archives whose links have expired. */
export const pruneArchives = (
  { archives, clock }: Pick<Ports, 'archives' | 'clock'>,
  signal?: AbortSignal,
): Promise<number> => pruneInBatches((limit) => archives.prune(clock.now(), limit), signal);
