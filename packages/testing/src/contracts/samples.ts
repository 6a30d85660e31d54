import {
  type AccessToken,
  type ActiveMedia,
  type FailedMedia,
  type Folder,
  type LibraryEvent,
  type MediaContent,
  type MediaDetails,
  type MediaType,
  NO_QUOTA,
  type Person,
  type PlacedEvent,
  type ProcessingMedia,
  parseUuid,
  type TemporaryMedia,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Stores } from './stores.ts';

/** Default creation time of samples, in milliseconds since the epoch. */
export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** Returns a new id; each sorts after the previous one. */
export function newId(): Uuid {
  const id = parseUuid(Bun.randomUUIDv7());
  if (id === null) throw new Error('Bun.randomUUIDv7 made no UUID');
  return id;
}

export const sampleWorkspace = (details: Partial<Workspace> = {}): Workspace => ({
  id: newId(),
  name: 'Sample',
  timezone: 'Europe/Berlin',
  stripLocation: null,
  ...NO_QUOTA,
  links: 'public',
  linkKey: null,
  createdAt: NOW,
  ...details,
});

/** Inserts a new workspace with the given system folders, and returns it. */
export async function addWorkspace(
  stores: Stores,
  systemFolders: readonly Folder[] = [],
  details: Partial<Workspace> = {},
): Promise<Workspace> {
  const workspace = sampleWorkspace({ id: systemFolders[0]?.workspaceId ?? newId(), ...details });
  await stores.workspaces.insert(workspace, systemFolders);
  return workspace;
}

export const sampleFolder = (workspaceId: Uuid, details: Partial<Folder> = {}): Folder => {
  const id = newId();
  return {
    id,
    workspaceId,
    parentId: null,
    name: `Folder ${id}`,
    isSystem: false,
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    ...details,
  };
};

/** Inserts a new folder and returns it. */
export async function addFolder(stores: Stores, workspaceId: Uuid, details: Partial<Folder> = {}): Promise<Folder> {
  const folder = sampleFolder(workspaceId, details);
  const refusal = await stores.folders.insert(folder);
  if (refusal !== null) throw new Error(`A sample folder was refused: ${refusal}`);
  return folder;
}

/**
 * Inserts a chain of folders, each in the previous one, and the first in `parentId`. Returns both ends of the chain.
 */
export async function addChain(
  stores: Stores,
  workspaceId: Uuid,
  length: number,
  parentId: Uuid | null = null,
): Promise<{ top: Folder; bottom: Folder }> {
  const top = await addFolder(stores, workspaceId, { parentId });
  let bottom = top;
  for (let level = 1; level < length; level += 1) {
    bottom = await addFolder(stores, workspaceId, { parentId: bottom.id });
  }
  return { top, bottom };
}

type Details = Partial<
  Pick<
    ActiveMedia,
    | 'id'
    | 'folderId'
    | 'name'
    | 'fullName'
    | 'label'
    | 'altText'
    | 'focus'
    | 'fittedFrom'
    | 'createdBy'
    | 'createdAt'
    | 'updatedAt'
  >
>;

const base = (workspaceId: Uuid, details: Details) => {
  const id = details.id ?? newId();
  return {
    id,
    workspaceId,
    folderId: null,
    name: 'sample',
    fullName: `${workspaceId}/${id}/sample`,
    label: null,
    altText: null,
    focus: null,
    fittedFrom: null,
    createdBy: null,
    version: 1,
    createdAt: NOW,
    updatedAt: NOW,
    ...details,
  };
};

const content = (type: MediaType, time: number | null): MediaContent => ({
  type,
  size: 2 * 1024 ** 3,
  sha256: '0123456789abcdef'.repeat(4),
  width: 1920,
  height: 1080,
  time,
  details: time === null ? IMAGE : VIDEO,
});

const IMAGE: MediaDetails = { image: { frames: 1, hasAlpha: null }, video: null };
const VIDEO: MediaDetails = {
  image: null,
  video: {
    codec: 'avc',
    durationMs: 74_708,
    frameRate: 29.97,
    bitrate: 4_200_123,
    chroma: '4:2:0',
    rotation: 90,
    moovFirst: false,
    editList: null,
    hdr: null,
    audio: { codec: 'aac', sampleRate: 48_000, channels: null },
  },
};

export const sampleImage = (workspaceId: Uuid, details: Details = {}): ActiveMedia => ({
  ...base(workspaceId, details),
  status: 'active',
  content: content('image/png', null),
  coverOf: null,
});

export const sampleVideo = (workspaceId: Uuid, details: Details = {}): ActiveMedia => ({
  ...base(workspaceId, details),
  status: 'active',
  content: content('video/quicktime', 75),
  coverOf: null,
});

export const sampleCover = (video: ActiveMedia): ActiveMedia => ({
  ...base(video.workspaceId, {}),
  status: 'active',
  content: content('image/jpeg', null),
  coverOf: video.id,
});

export const sampleProcessing = (workspaceId: Uuid, details: Details = {}): ProcessingMedia => ({
  ...base(workspaceId, details),
  status: 'processing',
});

/** Returns an item that is made from another item. The other item may have been deleted. */
export const sampleFit = (workspaceId: Uuid, details: Details = {}): ProcessingMedia =>
  sampleProcessing(workspaceId, { fittedFrom: newId(), ...details });

export const sampleTemporary = (workspaceId: Uuid, details: Details = {}): TemporaryMedia => ({
  ...base(workspaceId, details),
  status: 'temporary',
});

export const sampleFailed = (workspaceId: Uuid, details: Details = {}): FailedMedia => ({
  ...base(workspaceId, details),
  status: 'failed',
  errorMessage: 'The file could not be downloaded.',
});

export const samplePerson = (workspaceId: Uuid, details: Partial<Person> = {}): Person => ({
  id: newId(),
  workspaceId,
  name: 'Ada',
  email: null,
  role: 'editor',
  identity: null,
  status: 'invited',
  invitationExpiresAt: NOW + 5,
  createdAt: NOW,
  updatedAt: NOW,
  ...details,
});

export const sampleToken = (workspaceIds: readonly Uuid[], details: Partial<AccessToken> = {}): AccessToken => ({
  id: newId(),
  name: 'Sample',
  scopes: ['media:read', 'folders:write'],
  workspaceIds,
  createdAt: NOW,
  expiresAt: NOW + 1,
  revokedAt: null,
  lastUsedAt: null,
  ...details,
});

/** Returns the events that another instance recorded while some work was done. */
export async function eventsDuring({ events }: Stores, work: () => Promise<unknown>): Promise<readonly LibraryEvent[]> {
  const before = await events.newest();
  await work();
  return (await events.listAfter(before, 1000)).map(({ event }) => event);
}

/** Reads all events after a position, a few at a time, like a client that follows the library. */
export async function follow({ events }: Stores, after: number, limit: number): Promise<readonly PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  for (;;) {
    const some = await events.listAfter(found.at(-1)?.position ?? after, limit);
    if (some.length === 0) return found;
    found.push(...some);
  }
}

/** Adds a workspace, and makes the events repository record its changes without a time limit. */
export async function addListened(stores: Stores): Promise<Workspace> {
  const workspace = await addWorkspace(stores);
  await stores.events.listen([workspace.id], Number.MAX_SAFE_INTEGER);
  return workspace;
}
