import {
  type ActiveMedia,
  caseFold,
  type ImportOutcome,
  isCover,
  kindOf,
  type MediaFilter,
  type MediaItem,
  type MediaRepository,
  type MediaWithCover,
  type PresignOutcome,
  type Uuid,
} from '@postshelf/domain';
import { latestFirst, type MemoryTables, requireFree, requireWorkspace } from './memory-tables.ts';

export function memoryMedia(tables: MemoryTables): MediaRepository {
  const { media, imports, presigned, posts } = tables;

  const withCover = (item: MediaItem): MediaWithCover => ({ item, cover: coverOf(item.id) });
  const coverOf = (id: Uuid): ActiveMedia | null => {
    for (const item of media.values()) if (item.status === 'active' && item.coverOf === id) return item;
    return null;
  };

  return {
    insert: async (items) => keepMedia(tables, items),

    async find(id) {
      const item = media.get(id);
      return item ? withCover(item) : null;
    },

    async list(workspaceId, filter, { offset, limit }) {
      const items = [...media.values()]
        .filter((item) => item.workspaceId === workspaceId && !isCover(item) && passes(item, filter))
        .sort(latestFirst);
      return { items: items.slice(offset, offset + limit).map(withCover), total: items.length };
    },

    async update(id, change, now) {
      const item = media.get(id);
      if (!item) return null;
      const changed: MediaItem = { ...item, ...change, updatedAt: now };
      if (!standsWell(tables, changed)) return 'folder_missing';
      media.set(id, changed);
      return withCover(changed);
    },

    async remove(id) {
      const item = media.get(id);
      if (!item) return null;
      if ([...posts.values()].some((post) => post.mediaIds.includes(id))) return 'in_use';
      const gone = [item, coverOf(id)].filter((each) => each !== null);
      for (const each of gone) media.delete(each.id);
      imports.delete(id);
      presigned.delete(id);
      return gone.map((each) => each.fullName);
    },

    async listActive(after, limit) {
      return [...media.values()]
        .filter((item) => item.status === 'active')
        .filter((item) => after === null || item.id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },

    async existingFullNames(fullNames) {
      const existing = new Set(Array.from(media.values(), (item) => item.fullName));
      return new Set(fullNames.filter((fullName) => existing.has(fullName)));
    },
  };
}

/** Keeps new items, all or nothing, with nothing else in between. */
export function keepMedia(tables: MemoryTables, items: readonly MediaItem[]): 'kept' | 'folder_missing' {
  if (!items.every((item) => standsWell(tables, item))) return 'folder_missing';
  for (const [index, item] of items.entries()) requireKeys(tables, item, items.slice(0, index), items);
  for (const item of items) tables.media.set(item.id, item);
  return 'kept';
}

/** Makes of an item what it has become, and keeps its cover, all or nothing. */
export function endMaking(tables: MemoryTables, { item, cover }: ImportOutcome | PresignOutcome): void {
  const before = tables.media.get(item.id);
  tables.media.delete(item.id);
  try {
    const kept = keepMedia(tables, cover ? [item, cover] : [item]);
    if (kept === 'folder_missing') throw new Error(`The item ${item.id} or its cover is in a wrong folder`);
  } catch (error) {
    if (before) tables.media.set(item.id, before);
    throw error;
  }
}

/** A cover stands in no folder, so none is right for it. */
const standsWell = ({ folders }: MemoryTables, item: MediaItem): boolean =>
  item.folderId === null || (!isCover(item) && folders.get(item.folderId)?.workspaceId === item.workspaceId);

/** What a database's keys ask of a new item, among those that come before it and beside it. */
function requireKeys(
  tables: MemoryTables,
  item: MediaItem,
  before: readonly MediaItem[],
  beside: readonly MediaItem[],
) {
  requireFree(tables.media, item.id);
  requireWorkspace(tables, item.workspaceId);
  const others = [...tables.media.values(), ...before];
  if (others.some((other) => other.id === item.id || other.fullName === item.fullName)) {
    throw new Error(`The id ${item.id} or the full name ${item.fullName} is taken`);
  }
  const video = item.status === 'active' ? item.coverOf : null;
  if (video !== null && !tables.media.has(video) && !beside.some((other) => other.id === video)) {
    throw new Error(`There is no video ${video} to be the cover of`);
  }
}

function passes(item: MediaItem, { folderId, status, kind, search, from, to }: MediaFilter): boolean {
  if (folderId !== undefined && item.folderId !== folderId) return false;
  if (status !== undefined && item.status !== status) return false;
  if (kind !== undefined && (item.status !== 'active' || kindOf(item.content.type) !== kind)) return false;
  if (search !== undefined && !holds(item.name, search) && !holds(item.label ?? '', search)) return false;
  return (from === undefined || item.createdAt >= from) && (to === undefined || item.createdAt <= to);
}

const holds = (text: string, search: string): boolean => caseFold(text).includes(caseFold(search));
