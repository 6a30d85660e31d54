import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../../../corpus/seeds');

/** The committed media files, small ones of every type, by their names. Cases are changes of these. */
export const SEED_NAMES: readonly string[] = readdirSync(FOLDER).sort();

const kept = new Map<string, Uint8Array>();

/** @throws Error when there is none of that name */
export function seedBytes(name: string): Uint8Array {
  const bytes = kept.get(name) ?? readFileSync(join(FOLDER, name));
  kept.set(name, bytes);
  return bytes;
}
