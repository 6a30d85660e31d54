import type { Box } from '@postshelf/domain/formats';
import type { Cursor } from './cursor.ts';
import { boxesIn, renameToFree } from './movie-box.ts';
import { isLocationKey, mayNameCoordinates } from './names.ts';
import { BeyondBounds, type PatchList } from './patch-list.ts';
import { type Range, sampleRanges } from './sample-ranges.ts';

/** Sample formats that contain positions: those of GoPro, Google's camera motion, DJI, Sony, Canon and dashcams. */
const LOCATION_FORMATS = new Set(['gpmd', 'camm', 'djmd', 'dbgi', 'rtmd', 'CTMD', 'gps ']);
/**
 * Formats whose description specifies what the samples contain: Apple's metadata by key, and texts by MIME type or URI.
 */
const DESCRIBED_FORMATS = new Set(['mebx', 'mett', 'metx', 'urim']);
/** Formats of subtitles, in which drones write the position. */
const TEXT_FORMATS = new Set(['tx3g', 'text', 'sbtl']);

/** Handlers of tracks that people see or hear, which contain no positions. */
const VIDEO_AND_SOUND = new Set(['vide', 'soun']);

/** Maximum number of boxes of media data, more than any movie without fragments has. */
const MAX_MEDIA = 100;

const MAX_DESCRIPTION_LENGTH = 64 * 1024;
/** Number of samples of a text track that are read to find out whether it contains positions. */
const TEXT_PROBES = 4;
const TEXT_PROBE_LENGTH = 2048;

/** Finds the tracks of a movie whose samples contain positions, and clears these samples. */
export class LocationTracks {
  readonly #ranges: Range[] = [];

  constructor(
    private readonly cursor: Cursor,
    private readonly patches: PatchList,
    /** The position at which the movie begins; its offsets count from there. */
    private readonly base: number,
  ) {}

  /** Records the samples of a track (`mdia`) if they contain positions. */
  async add(media: Box): Promise<void> {
    const boxes = await this.#flatten(media);
    const handler = boxes.get('hdlr');
    const description = boxes.get('stsd');
    if (!handler || !description || VIDEO_AND_SOUND.has(await this.#textOf(handler.start + 8, 4, handler.end))) return;
    const { entries, hasText } = await this.#entries(description);
    if (entries.length === 0 && !hasText) return;
    const ranges = await sampleRanges(this.cursor, boxes, this.base);
    if (entries.length === 0 && !(await this.#hasPlaceTexts(ranges))) return;
    for (const range of ranges) this.#ranges.push(range);
    // Cleared samples contain zeros, which aren't valid in these formats, so the descriptions of the formats are
    // removed. The descriptions of subtitles are kept, because zeros are just an empty text.
    for (const entry of entries) renameToFree(entry, this.patches);
  }

  /**
   * Clears the recorded samples.
   *
   * @param media the ranges in which the movie has media data
   * @throws BeyondBounds if a sample is outside of these ranges: clearing it would destroy the structure of the movie
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

  /** Returns the boxes in a track that describe its samples, by type. They are on three levels. */
  async #flatten(box: Box, found = new Map<string, Box>()): Promise<Map<string, Box>> {
    const inside = { mdia: 'minf', minf: 'stbl' }[box.type];
    for await (const child of boxesIn(this.cursor, box.start, box.end)) {
      if (child.type === inside) await this.#flatten(child, found);
      else if (!found.has(child.type)) found.set(child.type, child);
    }
    return found;
  }

  /** Returns the sample descriptions (`stsd`) that promise positions, and whether any of them is of a text format. */
  async #entries({ start, end }: Box) {
    const entries: Box[] = [];
    let hasText = false;
    for await (const entry of boxesIn(this.cursor, start + 8, end)) {
      hasText ||= TEXT_FORMATS.has(entry.type);
      const isDescribed = DESCRIBED_FORMATS.has(entry.type);
      const text = isDescribed ? await this.#textOf(entry.start, MAX_DESCRIPTION_LENGTH, entry.end) : '';
      if (LOCATION_FORMATS.has(entry.type) || isLocationKey(text) || /gpx/i.test(text)) entries.push(entry);
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
    const available = Math.max(0, Math.min(length, end - start));
    return Buffer.from(await this.cursor.copy(start, available)).toString('latin1');
  }
}
