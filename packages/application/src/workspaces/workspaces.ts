import {
  type Folder,
  folderNameKey,
  invalid,
  isTimeZone,
  notFound,
  type PageRequest,
  parseUuid,
  type Rows,
  readFolderName,
  sliceOf,
  type Uuid,
  type Workspace,
  type WorkspaceChange,
} from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import type { Ports } from '../ports.ts';

export interface WorkspaceRequest {
  readonly name: string;
  readonly timezone: string;
  /** Users can't rename, move or delete them. */
  readonly systemFolders: readonly string[];
  /** As in {@link Workspace}. Default null. */
  readonly stripLocation?: boolean | null;
}

/**
 * Creates a workspace with its system folders.
 *
 * @throws Refusal `invalid` on `name`, `timezone` or `system_folder`
 */
export async function createWorkspace(
  ports: Pick<Ports, 'workspaces' | 'clock' | 'ids'>,
  request: WorkspaceRequest,
): Promise<Workspace> {
  const name = checkName('name', request.name);
  const timezone = checkTimeZone(request.timezone);
  const now = ports.clock.now();
  const { stripLocation = null } = request;
  const workspace: Workspace = { id: ports.ids.next(), name, timezone, stripLocation, createdAt: now };
  const names = request.systemFolders.map((folder) => checkName('system_folder', folder));
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

/**
 * Changes a workspace. Best times use a new time zone at once; removal of coordinates applies to files received from
 * then on.
 *
 * @returns null if the workspace doesn't exist
 * @throws Refusal `invalid` on `name` or `timezone`
 */
export async function updateWorkspace(
  ports: Pick<Ports, 'workspaces'>,
  id: Uuid,
  { name, timezone, stripLocation }: WorkspaceChange,
): Promise<Workspace | null> {
  const change: WorkspaceChange = {
    ...(name !== undefined && { name: checkName('name', name) }),
    ...(timezone !== undefined && { timezone: checkTimeZone(timezone) }),
    ...(stripLocation !== undefined && { stripLocation }),
  };
  return ports.workspaces.update(id, change);
}

/** The newest first. */
export const listWorkspaces = (
  { workspaces }: Pick<Ports, 'workspaces'>,
  page: PageRequest,
): Promise<Rows<Workspace>> => workspaces.page(sliceOf(page));

/** Finds the workspace that an operator's path names. @throws Refusal `not_found` for a malformed or unknown id alike */
export async function findAnyWorkspace({ workspaces }: Pick<Ports, 'workspaces'>, id: string): Promise<Workspace> {
  const uuid = parseUuid(id);
  const workspace = uuid && (await workspaces.find(uuid));
  if (!workspace) throw notFound();
  return workspace;
}

/** In the same order. */
export async function workspacesOf(
  { workspaces }: Pick<Ports, 'workspaces'>,
  ids: readonly Uuid[],
): Promise<readonly Workspace[]> {
  const found: Workspace[] = [];
  for (const id of ids) {
    const workspace = await workspaces.find(id);
    if (workspace) found.push(workspace);
    const next = turns.next();
    if (next) await next;
  }
  return found;
}

/** By the rule of folders. @throws Refusal `invalid` on the field */
function checkName(field: string, text: string): string {
  const read = readFolderName(text);
  if ('problem' in read) throw invalid(field, `The ${field.replace('_', ' ')} field ${read.problem}`);
  return read.name;
}

/** An IANA name. @throws Refusal `invalid` on `timezone` */
function checkTimeZone(timezone: string): string {
  if (!isTimeZone(timezone)) throw invalid('timezone', `There is no time zone ${JSON.stringify(timezone)}.`);
  return timezone;
}
