import { lengthOf, type Patch } from '@postshelf/domain';

/** Thrown if removing the location takes more work than any honest file needs. */
export class BeyondBounds extends Error {
  override readonly name = 'BeyondBounds';
}

/** Maximum number of patches, enough for a video of several hours with one or two chunks of positions per second. */
const MAX_PATCHES = 50_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** The bytes that will be written over a file. Throws {@link BeyondBounds} when there are too many. */
export class PatchList {
  readonly #patches: Patch[] = [];
  #bytes = 0;

  replace(offset: number, before: Uint8Array, after: Uint8Array): void {
    let [start, end] = [0, before.length];
    while (start < end && before[start] === after[start]) start += 1;
    while (end > start && before[end - 1] === after[end - 1]) end -= 1;
    if (start < end) this.write(offset + start, new Uint8Array(after.subarray(start, end)));
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_BYTES) throw new BeyondBounds('Too many bytes to write.');
    this.#add({ offset, bytes });
  }

  fill(offset: number, length: number, fill = 0): void {
    if (length > 0) this.#add({ offset, length, fill });
  }

  #add(patch: Patch): void {
    if (this.#patches.length >= MAX_PATCHES) throw new BeyondBounds('Too many places to write to.');
    this.#patches.push(patch);
  }

  /** Returns the patches in order, without overlaps: where two overlap, the patch that begins first keeps the bytes. */
  sorted(): readonly Patch[] {
    const sorted: Patch[] = [];
    let end = 0;
    for (const patch of this.#patches.toSorted((a, b) => a.offset - b.offset)) {
      const rest = partAfter(patch, end);
      if (!rest) continue;
      sorted.push(rest);
      end = rest.offset + lengthOf(rest);
    }
    return sorted;
  }
}

function partAfter(patch: Patch, offset: number): Patch | null {
  const cut = Math.max(0, offset - patch.offset);
  if (cut >= lengthOf(patch)) return null;
  if (cut === 0) return patch;
  if ('fill' in patch) return { ...patch, offset, length: patch.length - cut };
  return { offset, bytes: patch.bytes.subarray(cut) };
}
