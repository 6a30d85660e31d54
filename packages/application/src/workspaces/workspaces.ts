import {
  type Folder,
  folderNameKey,
  invalid,
  isQuota,
  isTimeZone,
  type LinkAccess,
  MAX_QUOTA,
  NO_QUOTA,
  type Quota,
  readFolderName,
  requireSignable,
  type Uuid,
  type Workspace,
  type WorkspaceChange,
} from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import type { Ports, Settings } from '../ports.ts';

export interface WorkspaceRequest extends Partial<Quota> {
  readonly name: string;
  readonly timezone: string;
  /** Users can't rename, move or delete them. */
  readonly systemFolders: readonly string[];
  /** As in {@link Workspace}. Default null. */
  readonly stripLocation?: boolean | null;
  /** Default `public`. */
  readonly links?: LinkAccess;
}

/**
 * Creates a workspace with its system folders.
 *
 * @throws Refusal `invalid` on `name`, `timezone`, `links`, `system_folder`, `max_bytes` or `max_items`
 */
export async function createWorkspace(
  ports: Pick<Ports, 'workspaces' | 'clock' | 'ids'> & Pick<Settings, 'isPublic'>,
  request: WorkspaceRequest,
): Promise<Workspace> {
  const name = checkName('name', request.name);
  const timezone = checkTimeZone(request.timezone);
  const now = ports.clock.now();
  const { stripLocation = null, links = 'public' } = request;
  requireSignable(links, ports.isPublic);
  const settings = { stripLocation, links, linkKey: null, ...NO_QUOTA, ...checkQuota(request) };
  const workspace: Workspace = { id: ports.ids.next(), name, timezone, ...settings, createdAt: now };
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
 * then on, and so does a quota, whatever there is already; links change for the requests after it.
 *
 * @returns null if the workspace doesn't exist
 * @throws Refusal `invalid` on `name`, `timezone`, `links`, `max_bytes` or `max_items`
 */
export async function updateWorkspace(
  ports: Pick<Ports, 'workspaces'> & Pick<Settings, 'isPublic'>,
  id: Uuid,
  { name, timezone, stripLocation, links, ...quota }: WorkspaceChange,
): Promise<Workspace | null> {
  if (links !== undefined) requireSignable(links, ports.isPublic);
  const change: WorkspaceChange = {
    ...(name !== undefined && { name: checkName('name', name) }),
    ...(timezone !== undefined && { timezone: checkTimeZone(timezone) }),
    ...(stripLocation !== undefined && { stripLocation }),
    ...checkQuota(quota),
    ...(links !== undefined && { links }),
  };
  return ports.workspaces.update(id, change);
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

/** Absent fields stay absent. @throws Refusal `invalid` on the field */
function checkQuota({ maxBytes, maxItems }: Partial<Quota>): Partial<Quota> {
  for (const [field, value] of Object.entries({ max_bytes: maxBytes, max_items: maxItems })) {
    if (typeof value === 'number' && !isQuota(value)) {
      throw invalid(field, `The ${field} field must be a whole number from 0 to ${MAX_QUOTA}.`);
    }
  }
  return { ...(maxBytes !== undefined && { maxBytes }), ...(maxItems !== undefined && { maxItems }) };
}

/** An IANA name. @throws Refusal `invalid` on `timezone` */
function checkTimeZone(timezone: string): string {
  if (!isTimeZone(timezone)) throw invalid('timezone', `There is no time zone ${JSON.stringify(timezone)}.`);
  return timezone;
}
