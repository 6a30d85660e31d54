import type { Cursor } from './cursor.ts';
import { boxesIn, type PlacedBox, renameToFree } from './movie-box.ts';
import { isPlaceKey, mayNameCoordinates } from './names.ts';
import { BeyondBounds, type PatchList } from './patch-list.ts';
import { type Range, sampleRanges } from './sample-ranges.ts';

/**
 * Formats of samples that are positions, or have some among other readings: of GoPro, Google's camera motion, DJI, Sony,
 * Canon and dashcams.
 */
const PLACE_FORMATS = new Set(['gpmd', 'camm', 'djmd', 'dbgi', 'rtmd', 'CTMD', 'gps ']);
/** Formats whose description says what is in the samples: Apple's metadata by key, and texts by MIME type or URI. */
const DESCRIBED_FORMATS = new Set(['mebx', 'mett', 'metx', 'urim']);
/** Formats of subtitles, where drones write the position. */
const TEXT_FORMATS = new Set(['tx3g', 'text', 'sbtl']);

const SEEN = new Set(['vide', 'soun']);

/** More boxes of media data than any movie has that isn't in fragments. */
const MAX_MEDIA = 100;

const MAX_DESCRIPTION_LENGTH = 64 * 1024;
/** What is read of a track of texts, to see whether positions are among them. */
const TEXT_PROBES = 4;
const TEXT_PROBE_LENGTH = 2048;

/** The tracks of a movie whose samples tell of places. */
export class PlaceTracks {
  readonly #ranges: Range[] = [];

  constructor(
    private readonly cursor: Cursor,
    private readonly patches: PatchList,
    /** Where the movie begins, from which its own offsets count. */
    private readonly base: number,
  ) {}

  /** Looks at the media of a track (`mdia`). */
  async add(media: PlacedBox): Promise<void> {
    const boxes = await this.#flatten(media);
    const handler = boxes.get('hdlr');
    const description = boxes.get('stsd');
    if (!handler || !description || SEEN.has(await this.#textOf(handler.start + 8, 4, handler.end))) return;
    const { entries, hasText } = await this.#entries(description);
    if (entries.length === 0 && !hasText) return;
    const ranges = await sampleRanges(this.cursor, boxes, this.base);
    if (entries.length === 0 && !(await this.#hasPlaceTexts(ranges))) return;
    for (const range of ranges) this.#ranges.push(range);
    // Zeros are no samples of the format any more; a subtitle of zeros is an empty one.
    for (const entry of entries) renameToFree(entry, this.patches);
  }

  /**
   * Fills all samples with zeros.
   *
   * @param media where the movie has media data
   * @throws BeyondBounds when a sample is elsewhere: what stands there holds the movie together
   */
  clear(media: readonly Range[]): void {
    if (this.#ranges.length > 0 && media.length > MAX_MEDIA) throw new BeyondBounds('Too many boxes of media data.');
    for (const { start, end } of this.#ranges) {
      if (start === end) continue;
      if (!media.some((range) => start >= range.start && end <= range.end)) {
        throw new BeyondBounds('Samples are outside of the media data.');
      }
      this.patches.fill(start, end - start);
    }
  }

  /** The boxes of a track that matter here, by type. */
  async #flatten(box: PlacedBox, found = new Map<string, PlacedBox>()): Promise<Map<string, PlacedBox>> {
    const inside = { mdia: 'minf', minf: 'stbl' }[box.type];
    for await (const child of boxesIn(this.cursor, box.start, box.end)) {
      if (child.type === inside) await this.#flatten(child, found);
      else if (!found.has(child.type)) found.set(child.type, child);
    }
    return found;
  }

  /** The descriptions by which there are positions in the samples, and whether there are descriptions of texts. */
  async #entries({ start, end }: PlacedBox) {
    const entries: PlacedBox[] = [];
    let hasText = false;
    for await (const entry of boxesIn(this.cursor, start + 8, end)) {
      hasText ||= TEXT_FORMATS.has(entry.type);
      const isDescribed = DESCRIBED_FORMATS.has(entry.type);
      const text = isDescribed ? await this.#textOf(entry.start, MAX_DESCRIPTION_LENGTH, entry.end) : '';
      if (PLACE_FORMATS.has(entry.type) || isPlaceKey(text) || /gpx/i.test(text)) entries.push(entry);
    }
    return { entries, hasText };
  }

  async #hasPlaceTexts(ranges: readonly Range[]): Promise<boolean> {
    for (const { start, end } of ranges.slice(0, TEXT_PROBES)) {
      const text = await this.#textOf(start, TEXT_PROBE_LENGTH, Math.min(end, this.cursor.size));
      if (mayNameCoordinates(text)) return true;
    }
    return false;
  }

  async #textOf(start: number, length: number, end: number): Promise<string> {
    const there = Math.max(0, Math.min(length, end - start));
    return Buffer.from(await this.cursor.copy(start, there)).toString('latin1');
  }
}
