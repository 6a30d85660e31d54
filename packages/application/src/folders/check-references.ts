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
 * Returns the errors in creating or moving a folder below a parent; none if the change is allowed. Malformed ids are
 * ignored here, because the schema reports them. This is also called for requests that fail anyway, so that the
 * response names all failing fields.
 *
 * @param folder null for a new one
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

/** Returns the errors on `files.N.folder_id`, in order. */
export async function folderErrorsOfFiles(
  ports: Pick<Ports, 'folders'>,
  workspaceId: Workspace['id'],
  ids: readonly unknown[],
): Promise<FieldErrors> {
  const errors = ids.map((id, index) => folderErrors(ports, workspaceId, `files.${index}.folder_id`, id));
  return Object.assign({}, ...(await Promise.all(errors)));
}

/** Requires that a folder exists; null and an absent id are allowed. @throws Refusal `invalid` on the field */
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
