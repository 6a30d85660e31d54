import {
  FIRST_VERSION,
  type Folder,
  folderNameKey,
  invalid,
  isQuota,
  type LinkAccess,
  MAX_QUOTA,
  NO_QUOTA,
  notFound,
  type PageRequest,
  parseUuid,
  type Quota,
  type Rows,
  readFolderName,
  readTimeZone,
  requireSignable,
  sliceOf,
  type Uuid,
  type Workspace,
  type WorkspaceChange,
} from '@postshelf/domain';
import { findEach } from '../find-each.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports, Settings } from '../ports.ts';

export interface WorkspaceRequest extends Partial<Quota> {
  readonly name: string;
  readonly timezone: string;
  /** Names of folders that users can't rename, move or delete. */
  readonly systemFolders: readonly string[];
  /** Whether coordinates are removed from files; null for the service's default. Default: null. */
  readonly stripLocation?: boolean | null;
  /** Default: `public`. */
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
  complete?: Completing<OperatedWorkspace>,
): Promise<Workspace> {
  const name = checkName('name', request.name);
  const timezone = checkTimeZone(request.timezone);
  const now = ports.clock.now();
  const { stripLocation = null, links = 'public' } = request;
  requireSignable(links, ports.isPublic);
  const settings = { stripLocation, links, linkKey: null, ...NO_QUOTA, ...checkQuota(request) };
  const workspace: Workspace = { id: ports.ids.next(), name, timezone, ...settings, createdAt: now };
  const folders = makeSystemFolders(ports, workspace, request.systemFolders, now);
  const systemFolders = folders.map((folder) => folder.name);
  await ports.workspaces.insert(workspace, folders, complete?.({ workspace, systemFolders }));
  return workspace;
}

/** Makes the system folders of a workspace. @throws Refusal `invalid` on `system_folder` */
function makeSystemFolders(
  { ids }: Pick<Ports, 'ids'>,
  { id: workspaceId }: Pick<Workspace, 'id'>,
  given: readonly string[],
  now: number,
): readonly Folder[] {
  const names = given.map((folder) => checkName('system_folder', folder));
  if (new Set(names.map(folderNameKey)).size < names.length) {
    throw invalid('system_folder', 'The system folders must have different names.');
  }
  const facts = { workspaceId, parentId: null, isSystem: true, version: FIRST_VERSION, createdAt: now, updatedAt: now };
  return names.map((name) => ({ id: ids.next(), name, ...facts }));
}

/** A workspace as operators see it. */
export interface OperatedWorkspace {
  readonly workspace: Workspace;
  /** Names of the system folders. */
  readonly systemFolders: readonly string[];
}

/**
 * Changes a workspace. Best times use a new time zone immediately. A quota, and the setting for the removal of
 * coordinates, apply only to files that are received from then on. A change of `links` applies to later requests.
 *
 * @returns null if the workspace doesn't exist
 * @throws Refusal `invalid` on `name`, `timezone`, `links`, `max_bytes` or `max_items`
 */
export async function updateWorkspace(
  ports: Pick<Ports, 'workspaces' | 'clock' | 'ids'> & Pick<Settings, 'isPublic'>,
  id: Uuid,
  {
    name,
    timezone,
    stripLocation,
    links,
    systemFolders,
    ...quota
  }: WorkspaceChange & { readonly systemFolders?: readonly string[] },
): Promise<Workspace | null> {
  if (links !== undefined) requireSignable(links, ports.isPublic);
  const change: WorkspaceChange = {
    ...(name !== undefined && { name: checkName('name', name) }),
    ...(timezone !== undefined && { timezone: checkTimeZone(timezone) }),
    ...(stripLocation !== undefined && { stripLocation }),
    ...checkQuota(quota),
    ...(links !== undefined && { links }),
  };
  if (systemFolders === undefined) return ports.workspaces.update(id, change);
  const now = ports.clock.now();
  return ports.workspaces.update(id, change, { folders: makeSystemFolders(ports, { id }, systemFolders, now), now });
}

/** Lists workspaces, newest first. */
export async function listWorkspaces(
  { workspaces }: Pick<Ports, 'workspaces'>,
  page: PageRequest,
): Promise<Rows<OperatedWorkspace>> {
  const { items, total } = await workspaces.page(sliceOf(page));
  return { items: await withSystemFolders(workspaces, items), total };
}

/** Finds the workspace that an operator's path names. @throws Refusal `not_found` if the id is malformed or unknown */
export async function findAnyWorkspace({ workspaces }: Pick<Ports, 'workspaces'>, id: string): Promise<Workspace> {
  const uuid = parseUuid(id);
  const workspace = uuid && (await workspaces.find(uuid));
  if (!workspace) throw notFound();
  return workspace;
}

export async function operatedWorkspace(
  { workspaces }: Pick<Ports, 'workspaces'>,
  workspace: Workspace,
): Promise<OperatedWorkspace> {
  const [only = { workspace, systemFolders: [] }] = await withSystemFolders(workspaces, [workspace]);
  return only;
}

async function withSystemFolders(
  workspaces: Ports['workspaces'],
  items: readonly Workspace[],
): Promise<readonly OperatedWorkspace[]> {
  const names = await workspaces.systemFolders(items.map(({ id }) => id));
  return items.map((workspace) => ({ workspace, systemFolders: names.get(workspace.id) ?? [] }));
}

/** Finds the workspaces with these ids, in the order of the ids. Workspaces that don't exist are omitted. */
export async function workspacesOf(
  { workspaces }: Pick<Ports, 'workspaces'>,
  ids: readonly Uuid[],
): Promise<readonly Workspace[]> {
  const found = await findEach(ids, (id) => workspaces.find(id));
  return found.filter((workspace) => workspace !== null);
}

/** Checks a name by the rules of folder names. @throws Refusal `invalid` on the field */
function checkName(field: string, text: string): string {
  const read = readFolderName(text);
  if ('problem' in read) throw invalid(field, `The ${field.replace('_', ' ')} field ${read.problem}`);
  return read.name;
}

/** Checks a quota; absent fields stay absent. @throws Refusal `invalid` on the field */
function checkQuota({ maxBytes, maxItems }: Partial<Quota>): Partial<Quota> {
  for (const [field, value] of Object.entries({ max_bytes: maxBytes, max_items: maxItems })) {
    if (typeof value === 'number' && !isQuota(value)) {
      throw invalid(field, `The ${field} field must be a whole number from 0 to ${MAX_QUOTA}.`);
    }
  }
  return { ...(maxBytes !== undefined && { maxBytes }), ...(maxItems !== undefined && { maxItems }) };
}

/** Checks a time zone. @returns its IANA name @throws Refusal `invalid` on `timezone` */
function checkTimeZone(timezone: string): string {
  const name = readTimeZone(timezone);
  if (name === null) throw invalid('timezone', `There is no time zone ${JSON.stringify(timezone)}.`);
  return name;
}
