import type { BackupDestination, BackupMember, BackupOutcome, BackupReader, BackupWriter } from '@postshelf/domain';
import { digest, readAll } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { bodyOf } from '../support/objects.ts';

export interface MemoryFile {
  readonly name: string;
  readonly sha256: string | null;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A file at a backup's destination: its name, its summary if it is a backup, and its length. */
export interface MemoryStanding {
  readonly path: string;
  readonly summary?: unknown;
  readonly size?: number;
}

/**
 * Returns a backup archive in memory. `standing` lists the files that its destination already holds, newest first.
 *
 * @param path the path of the backup; null if the backup is streamed
 */
export function memoryArchive(path: string | null = '/backups/b.tar', standing: readonly MemoryStanding[] = []) {
  const files: MemoryFile[] = [];
  let state: 'unused' | 'open' | 'discarded' | BackupOutcome = 'unused';
  const removed: string[] = [];
  const encode = (summary: unknown) => new TextEncoder().encode(JSON.stringify(summary));
  const writer: BackupWriter = {
    async add({ name, size, sha256, body }) {
      const bytes = await readAll(body);
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
