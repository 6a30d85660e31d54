import {
  codePointLength,
  FOLDER_NAME_LENGTH,
  type Folder,
  folderNameKey,
  hasUnsafe,
  invalid,
  isTimeZone,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface WorkspaceRequest {
  readonly name: string;
  /** IANA name. */
  readonly timezone: string;
  /** Folders at the top level that users can't rename, move or delete. */
  readonly systemFolders: readonly string[];
}

/** Code points of a workspace's name. */
const MAX_NAME_LENGTH = 100;

/**
 * Makes a workspace with its system folders.
 *
 * @throws Refusal `invalid` on `name`, `timezone` or `system_folder`
 */
export async function createWorkspace(
  ports: Pick<Ports, 'workspaces' | 'clock' | 'ids'>,
  request: WorkspaceRequest,
): Promise<Workspace> {
  const name = checkName('name', request.name, MAX_NAME_LENGTH);
  const { timezone } = request;
  if (!isTimeZone(timezone)) throw invalid('timezone', `There is no time zone ${JSON.stringify(timezone)}.`);
  const now = ports.clock.now();
  const workspace: Workspace = { id: ports.ids.next(), name, timezone, createdAt: now };
  const names = request.systemFolders.map((folder) => checkName('system_folder', folder, FOLDER_NAME_LENGTH.max));
  if (new Set(names.map(folderNameKey)).size < names.length) {
    throw invalid('system_folder', 'The system folders must have different names.');
  }
  const folders = names.map(
    (folder): Folder => ({
      id: ports.ids.next(),
      workspaceId: workspace.id,
      parentId: null,
      name: folder,
      isSystem: true,
      createdAt: now,
      updatedAt: now,
    }),
  );
  await ports.workspaces.insert(workspace, folders);
  return workspace;
}

function checkName(field: string, text: string, max: number): string {
  const name = text.normalize('NFC').trim();
  const length = codePointLength(name);
  if (length < 1 || length > max || hasUnsafe(name)) {
    throw invalid(field, `The ${field} must have 1 to ${max} characters, none of them a control character.`);
  }
  return name;
}
