import { contentAt, contentView, type ParentBox, Unreadable } from '@postshelf/domain/formats';

/** In any number of bytes. Ten minutes at 60 frames a second are 36,000. */
const MAX_SAMPLES = 65_536;

/** Most fragments without a start time, and most samples in all of them. */
const MAX_UNTIMED_FRAGMENTS = 4096;
const MAX_UNTIMED_SAMPLES = 1_000_000;

/**
 * The fragments that determine when a track ends. One with a start time (`tfdt`, ISO/IEC 14496-12, section 8.8.12)
 * makes those before it unnecessary.
 */
export class LastFragments {
  #fragments: ParentBox[] = [];
  #samples = 0;

  get all(): readonly ParentBox[] {
    return this.#fragments;
  }

  /** Adds the next fragment. Throws `Unreadable` if it, or all that are kept, claim too many samples. */
  add(fragment: ParentBox, track: number): void {
    const children = fragment.children.filter(
      (child): child is ParentBox => 'children' in child && trackOf(child) === track,
    );
    if (children.length === 0) return;
    const samples = children.reduce((sum, child) => sum + samplesOf(child), 0);
    if (samples > MAX_SAMPLES) throw new Unreadable('Too many samples in a fragment.');
    if (children.every((child) => contentAt(child, 'tfdt') !== undefined)) this.#forget();
    this.#fragments.push({ ...fragment, children });
    this.#samples += samples;
    if (this.#fragments.length > MAX_UNTIMED_FRAGMENTS) throw new Unreadable('Too many fragments.');
    if (this.#samples > MAX_UNTIMED_SAMPLES) throw new Unreadable('Too many samples.');
  }

  #forget(): void {
    this.#fragments = [];
    this.#samples = 0;
  }
}

function trackOf(fragment: ParentBox): number | undefined {
  const header = contentAt(fragment, 'tfhd');
  return header && contentView(header, 8).getUint32(4);
}

function samplesOf(fragment: ParentBox): number {
  const runs = fragment.children.filter(({ type }) => type === 'trun');
  return runs.reduce((sum, run) => sum + contentView(contentAt(run) ?? new Uint8Array(), 8).getUint32(4), 0);
}
