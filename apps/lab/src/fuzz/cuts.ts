import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteSource, defectCode, isSound } from '@postshelf/domain';
import { Random } from '@postshelf/harness';
import { createMediaInspector } from '@postshelf/media';

/** Number of truncations of each type. */
const CUTS = 1000;

/** The inspector's results for the files below some folders, whole and truncated. */
export interface CutsReport {
  /** For each type, the number of accepted whole files, of truncations tested, and of truncations accepted. */
  readonly types: Readonly<Record<string, { readonly files: number; readonly cuts: number; readonly taken: number }>>;
  /** The whole files that were refused, with the reasons. A refusal is right only if the file really is damaged. */
  readonly refused: readonly string[];
  /**
   * The truncated files that were accepted, each with its remaining bytes, the length of the whole file, and its path.
   */
  readonly misses: readonly string[];
}

interface SoundFile {
  readonly path: string;
  readonly size: number;
}

/**
 * Inspects every file below the folders. Then inspects, for each type, 1,000 random truncations of the accepted files,
 * and counts the accepted truncations.
 */
export async function cutFiles(folders: readonly string[], seed: number): Promise<CutsReport> {
  const inspector = createMediaInspector();
  const random = new Random(seed).next;
  const sound = new Map<string, SoundFile[]>();
  const refused: string[] = [];
  for (const path of await pathsBelow(folders)) {
    const source = sourceOf(path);
    const type = await inspector.recognise(await source.read(0, inspector.headLength));
    if (typeof type !== 'string') continue;
    const facts = await inspector.inspect(source);
    if (!isSound(facts)) refused.push(`${facts === null ? 'unreadable' : defectCode(facts)} ${type} ${path}`);
    else sound.set(type, [...(sound.get(type) ?? []), { path, size: source.size }]);
  }
  const types: Record<string, { files: number; cuts: number; taken: number }> = {};
  const misses: string[] = [];
  for (const [type, files] of sound) {
    let taken = 0;
    for (let cuts = 0; cuts < CUTS; cuts += 1) {
      const file = files[Math.floor(random() * files.length)];
      if (file === undefined) throw new Error('unreachable');
      const size = Math.floor(random() * file.size);
      if (!isSound(await inspector.inspect({ ...sourceOf(file.path), size }))) continue;
      taken += 1;
      misses.push(`${size} of ${file.size} ${file.path}`);
    }
    types[type] = { files: files.length, cuts: CUTS, taken };
  }
  return { types, refused, misses };
}

async function pathsBelow(folders: readonly string[]): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) paths.push(join(entry.parentPath, entry.name));
    }
  }
  return paths.sort();
}

function sourceOf(path: string): ByteSource {
  const file = Bun.file(path);
  const source: ByteSource = {
    size: file.size,
    async read(this: ByteSource, offset, length) {
      return file.slice(offset, Math.min(offset + length, this.size)).bytes();
    },
  };
  return source;
}
