import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { Random } from '@postshelf/harness';
import { avif } from './families/avif.ts';
import { colours } from './families/colours.ts';
import { foreign } from './families/foreign.ts';
import { fragments } from './families/fragments.ts';
import { gif } from './families/gif.ts';
import { heic } from './families/heic.ts';
import { jpeg } from './families/jpeg.ts';
import { movies } from './families/movies.ts';
import { png } from './families/png.ts';
import { webp } from './families/webp.ts';
import { chooseTraits, type Expected, type Family, type Traits, unusual } from './family.ts';

/** A file to test. */
export interface Specimen {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** null for a user's own file. */
  readonly family: string | null;
  /** The traits that aren't ordinary. */
  readonly traits: Traits;
  readonly expected?: Expected;
}

export const FAMILIES: readonly Family[] = [jpeg, png, gif, webp, movies, fragments, colours, foreign, heic, avif];

const FIRST_FAMILIES = 8;

export interface Choice {
  readonly seed: number;
  /** The names of the wanted families. */
  readonly only: readonly string[];
  /** The fraction of a whole run, from 0 to 1; each family has at least one file. */
  readonly part: number;
  /**
   * The traits that each file must have, as `axis=trait`. If several traits of the same axis are listed, a file needs
   * only one of them.
   */
  readonly having: readonly string[];
}

/** Makes the files of a run in the folder; the same choice yields the same files. */
export async function makeSpecimens(folder: string, { seed, only, part, having }: Choice): Promise<Specimen[]> {
  await mkdir(folder, { recursive: true });
  const specimens: Specimen[] = [];
  for (const [index, family] of FAMILIES.entries()) {
    if (!only.includes(family.name)) continue;
    // Each family has its own random numbers. Its files are therefore the same whether the run includes all families or
    // only this one, and adding a family at the end doesn't change them.
    const random = new Random(seed * FIRST_FAMILIES + index);
    const end = Math.max(1, Math.round(family.share * part));
    let number = 0;
    for (const traits of chooseTraits(family, random)) {
      number += 1;
      if (number > end) break;
      const one = hasWanted(traits, having) ? await family.make(traits) : null;
      if (one === null) continue;
      const name = `${family.name}-${String(number).padStart(4, '0')}.${one.extension}`;
      const path = join(folder, name);
      await writeFile(path, one.bytes);
      specimens.push({
        name,
        path,
        size: one.bytes.length,
        family: family.name,
        traits: unusual(family, traits),
        ...(one.expected && { expected: one.expected }),
      });
    }
  }
  return specimens;
}

function hasWanted(traits: Traits, having: readonly string[]): boolean {
  const axes = new Set(having.map((pair) => pair.slice(0, pair.indexOf('='))));
  return [...axes].every((axis) => having.includes(`${axis}=${traits[axis]}`));
}

/** Returns the files below a folder, by name. */
export async function findSpecimens(folder: string): Promise<Specimen[]> {
  const specimens: Specimen[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size } = Bun.file(path);
    specimens.push({ name: relative(folder, path), path, size, family: null, traits: { extension: extname(path) } });
  }
  return specimens.sort((a, b) => (a.name < b.name ? -1 : 1));
}
