import { createHash } from 'node:crypto';
import {
  type ActiveMedia,
  type BackupDestination,
  type BackupMember,
  type BackupOutcome,
  type BackupReader,
  type BackupWriter,
  type Digester,
  fullNameOf,
  storeFile,
  type Uuid,
} from '@postshelf/domain';
import { fakeFile } from '@postshelf/testing/fakes';
import { databases } from '../support/databases.ts';
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
  const place: BackupDestination = {
    path,
    copyPath: databases.freePath(),
    async *existing(outcome) {
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
