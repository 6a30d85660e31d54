import { createHash } from 'node:crypto';
import {
  type ActiveMedia,
  BackupError,
  type BackupMember,
  type BackupOutcome,
  type BackupPlace,
  type BackupReader,
  type BackupWriter,
  type DatabaseBackups,
  type DatabaseRestore,
  type Digester,
  fullNameOf,
  type Library,
  storeFile,
  type Uuid,
} from '@postshelf/domain';
import type { Stores } from '@postshelf/testing/contracts/stores';
import { emptyTables, fakeFile, memoryStores } from '@postshelf/testing/fakes';
import { bodyOf, publish } from '../support/objects.ts';
import type { World } from '../support/world.ts';

export const digest: Digester = async (body) => {
  const bytes = await bytesOf(body);
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

export async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

/** Keeps an image of so many bytes more than it needs, object and row, and answers its item. */
export async function addObject(world: World, workspaceId: Uuid, padding: number): Promise<ActiveMedia> {
  const facts = { type: 'image/jpeg', width: 4, height: 3, time: null } as const;
  const bytes = fakeFile(facts, padding);
  const id = world.ids.next();
  const fullName = fullNameOf(workspaceId, id, 'beach.jpg');
  const { sha256 } = await digest(bodyOf(bytes));
  const details = { id, workspaceId, folderId: null, label: null, name: 'beach.jpg', fullName };
  const item = storeFile(details, { ...facts, size: bytes.length, sha256 }, world.clock.now());
  await publish(world, fullName, bytes);
  await world.media.insert([item]);
  return item;
}

export interface MemoryFile {
  readonly name: string;
  readonly sha256: string | null;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A file that stands where a backup goes: its name, its summary or what else it holds, and its length. */
export interface MemoryStanding {
  readonly path: string;
  readonly summary?: unknown;
  readonly size?: number;
}

/**
 * A backup in memory, in a place where other files stand, the newest first.
 *
 * @param path null: it is sent away
 */
export function memoryArchive(path: string | null = '/backups/b.tar', standing: readonly MemoryStanding[] = []) {
  const files: MemoryFile[] = [];
  let state: 'unused' | 'open' | 'discarded' | BackupOutcome = 'unused';
  const removed: string[] = [];
  const encode = (summary: unknown) => new TextEncoder().encode(JSON.stringify(summary));
  const writer: BackupWriter = {
    async add({ name, size, sha256, body }) {
      const bytes = await bytesOf(body);
      if (bytes.length !== size) throw new Error('The body is not as long as it was announced.');
      files.push({ name, sha256, bytes });
      return digest(bodyOf(bytes));
    },
    finish: async (outcome) => {
      state = outcome;
      return path && (outcome === 'whole' ? path : `${path}.incomplete`);
    },
    discard: async () => {
      if (state === 'open') state = 'discarded';
    },
  };
  const place: BackupPlace = {
    path,
    copyPath: 'copy',
    async *standing(outcome) {
      for (const { path: name, summary, size = 1 } of standing) {
        if (name.endsWith('.incomplete') !== (outcome === 'incomplete')) continue;
        yield { path: name, size, summary: summary === undefined ? null : encode(summary) };
      }
    },
    async open() {
      state = 'open';
      return writer;
    },
    remove: async (name) => void removed.push(name),
  };
  const reader = async function* (): AsyncGenerator<BackupMember> {
    for (const { name, sha256, bytes } of files) yield { name, size: bytes.length, sha256, body: bodyOf(bytes) };
  };
  return {
    files,
    place,
    removed,
    read: (): BackupReader => reader(),
    state: () => state,
    named(name: string): MemoryFile {
      const found = files.find((file) => file.name === name);
      if (!found) throw new Error(`There is no ${name} in the backup.`);
      return found;
    },
  };
}

/** Copies of the memory stores' library and active items. A copy's file is both in JSON. */
export const memoryBackups = (world: World): DatabaseBackups => ({
  async copyTo() {
    const copy = memoryStores();
    for (const workspace of await world.workspaces.list()) await copy.workspaces.insert(workspace, []);
    await copy.media.insert(await world.media.listActive(null, 10_000));
    return {
      media: copy.media,
      workspaces: copy.workspaces,
      async seal() {
        const content = { library: await world.library.find(), items: await copy.media.listActive(null, 10_000) };
        const bytes = new TextEncoder().encode(JSON.stringify(content));
        return { size: bytes.length, body: bodyOf(bytes) };
      },
      discard: async () => undefined,
    };
  },
});

/** A place for a database, with what came to it. A run that is killed leaves it as it is for the next one. */
export function memoryPlace(isTaken = false) {
  let received: Uint8Array<ArrayBuffer> | null = null;
  let opened: Stores | null = null;
  let placed: { readonly stores: Stores; readonly text: string } | null = null;
  const database: DatabaseRestore = {
    async standing() {
      if (placed) return { library: await placed.stores.library.find() };
      return isTaken ? { library: null } : null;
    },
    async receive(body) {
      received = await bytesOf(body);
      return digest(bodyOf(received));
    },
    async open() {
      if (received === null) throw new BackupError('There is no database in the backup.');
      opened ??= await storesOf(received);
      return opened;
    },
    async commit() {
      if (!opened || !received) throw new Error('The database was not opened.');
      placed = { stores: opened, text: new TextDecoder().decode(received) };
    },
    async discard() {
      [received, opened] = [null, null];
    },
  };
  return {
    database,
    /** The file that is in its place. */
    committed: () => placed?.text ?? null,
    stores: () => placed?.stores ?? null,
  };
}

/** What a copy's file holds. */
async function storesOf(bytes: Uint8Array): Promise<Stores> {
  const { library, items }: { library: Library | null; items: ActiveMedia[] } = JSON.parse(
    new TextDecoder().decode(bytes),
  );
  const tables = emptyTables();
  if (library) tables.library.set('only', library);
  const stores = memoryStores(tables);
  for (const workspaceId of new Set(items.map((item) => item.workspaceId)))
    await stores.workspaces.insert({ id: workspaceId, name: 'Restored', timezone: 'UTC', createdAt: 0 }, []);
  await stores.media.insert(items);
  return stores;
}
