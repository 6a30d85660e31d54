import {
  type FieldErrors,
  FOLDER_REFUSALS,
  type Folder,
  invalid,
  parseUuid,
  selectedInvalid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/**
 * Why a parent that a request names is refused, as `errors`; empty when it is allowed or is no id at all. For requests
 * that already fail, so that the answer names all failing fields at once.
 *
 * @param folder the folder that is to be moved; null for a new one
 */
export async function parentErrors(
  ports: Pick<Ports, 'folders'>,
  workspaceId: Workspace['id'],
  folder: Folder | null,
  parentId: unknown,
): Promise<FieldErrors> {
  if (folder?.isSystem) return { folder: [FOLDER_REFUSALS.system.sentence] };
  const parent = parseUuid(parentId);
  const refusal = parent && (await ports.folders.refuseParent(workspaceId, folder?.id ?? null, parent));
  if (!refusal) return {};
  const { field, sentence } = FOLDER_REFUSALS[refusal];
  return { [field]: [sentence] };
}

/** The same for a folder of which media or folders are listed, or into which media go. */
export async function folderErrors(
  ports: Pick<Ports, 'folders'>,
  workspaceId: Workspace['id'],
  field: 'folder_id' | 'parent_id' | `files.${number}.folder_id`,
  id: unknown,
): Promise<FieldErrors> {
  const uuid = parseUuid(id);
  if (!uuid || (await ports.folders.find(uuid))?.workspaceId === workspaceId) return {};
  return { [field]: [selectedInvalid(field)] };
}

/** The same for the folders of the files of one request, in their order: `files.N.folder_id`. */
export async function folderErrorsOfFiles(
  ports: Pick<Ports, 'folders'>,
  workspaceId: Workspace['id'],
  ids: readonly unknown[],
): Promise<FieldErrors> {
  const errors = ids.map((id, index) => folderErrors(ports, workspaceId, `files.${index}.folder_id`, id));
  return Object.assign({}, ...(await Promise.all(errors)));
}

/** A folder named in a body or query must be one of the workspace; null and absent name none. */
export async function requireFolder(
  ports: Pick<Ports, 'folders'>,
  workspace: Pick<Workspace, 'id'>,
  field: 'parent_id' | 'folder_id',
  id: Folder['id'] | null | undefined,
): Promise<void> {
  if (!id) return;
  const folder = await ports.folders.find(id);
  if (folder?.workspaceId !== workspace.id) throw noSuchFolder(field);
}

export const noSuchFolder = (field: 'parent_id' | 'folder_id') => invalid(field, selectedInvalid(field));
