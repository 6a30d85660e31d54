import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from './case.ts';

/** A case with the signature of its answer. */
export interface Kept {
  readonly signature: string;
  readonly case: Case;
}

/** The folder of the committed cases. It contains one file per target, with one case per line. */
export const CORPUS = join(import.meta.dir, '../../corpus');

/** Maximum number of cases in the file of a target. */
const MAX_CASES = 400;

/** Maximum number of characters of a case; longer cases aren't stored. */
const MAX_TEXT = 3000;

/** Reads the cases of a target in a folder; returns none if there is no file. */
export async function readCorpus(target: string, folder = CORPUS): Promise<readonly Kept[]> {
  const file = Bun.file(join(folder, `${target}.jsonl`));
  if (!(await file.exists())) return [];
  const lines = (await file.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Kept);
}

/** The shortest case of each signature. */
export class Collection {
  readonly #kept = new Map<string, string>();

  constructor(kept: readonly Kept[] = []) {
    for (const { signature, case: given } of kept) this.add(signature, given);
  }

  get size(): number {
    return this.#kept.size;
  }

  add(signature: string, given: Case): void {
    const text = JSON.stringify(given);
    const before = this.#kept.get(signature);
    if (text.length <= MAX_TEXT && text.length < (before?.length ?? Number.POSITIVE_INFINITY))
      this.#kept.set(signature, text);
  }

  /** Adds the cases of another collection. If both have a case with the same signature, the shorter one is kept. */
  merge(other: Collection): void {
    for (const [signature, text] of other.#kept) this.add(signature, JSON.parse(text) as Case);
  }

  /** Writes the cases in the order of their signatures, at most {@link MAX_CASES}. */
  async write(target: string, folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    const shortest = [...this.#kept].sort(([, a], [, b]) => a.length - b.length).slice(0, MAX_CASES);
    const sorted = shortest.sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = sorted.map(([signature, text]) => `{"signature":${JSON.stringify(signature)},"case":${text}}\n`);
    await Bun.write(join(folder, `${target}.jsonl`), lines.join(''));
  }
}
