import type { Area, RowLayout } from './row-layout.ts';

/** Limits for the ratio of width to height. Images beyond them are cropped. */
const NARROWEST = 0.5;
const WIDEST = 3;

export interface JustifiedOptions {
  readonly size: number;
  /** Width divided by height. */
  aspectAt(index: number): number;
  /** Whether a section begins with this row, with a heading above it. */
  startsSection(index: number): boolean;
  /** The list's width in pixels, like all sizes below. */
  readonly width: number;
  /** Target height of images. */
  readonly target: number;
  readonly gap: number;
  /** Height of the caption below each image. */
  readonly caption: number;
  /** Height of the heading above each section. */
  readonly heading: number;
}

/**
 * Lays out images in lines, with their own aspect ratios within the limits above. The height of each line is chosen so
 * that its images fill the list's width. Lines are filled one after the other, so that lines further up stay the same
 * when an aspect ratio becomes known. The last line of a section may be short.
 */
export class JustifiedLayout implements RowLayout {
  readonly height: number;
  readonly #gap: number;
  readonly #caption: number;
  readonly #left: Int32Array;
  readonly #width: Int32Array;
  /** The line number of each row. */
  readonly #line: Int32Array;
  readonly #lineStart: number[] = [];
  readonly #lineTop: number[] = [];
  readonly #lineHeight: number[] = [];

  constructor(options: JustifiedOptions) {
    const { size, width, target, gap, caption, heading } = options;
    [this.#gap, this.#caption] = [gap, caption];
    this.#left = new Int32Array(size);
    this.#width = new Int32Array(size);
    this.#line = new Int32Array(size);
    const aspects = new Float64Array(size);
    let top = 0;
    let start = 0;
    let sum = 0;
    /** Returns the height at which the rows from `start` up to, but excluding, `end` fill a line. */
    const heightOf = (end: number, aspect: number): number => (width - gap * (end - start - 1)) / aspect;
    const endLine = (end: number, height: number): void => {
      this.#addLine(aspects, start, end, top, Math.max(1, height), width);
      top += Math.round(Math.max(1, height)) + caption + gap;
      start = end;
      sum = 0;
    };
    for (let index = 0; index < size; index += 1) {
      if (options.startsSection(index)) {
        if (index > start) endLine(index, Math.min(target, heightOf(index, sum)));
        top += heading;
      }
      const aspect = Math.min(WIDEST, Math.max(NARROWEST, options.aspectAt(index)));
      aspects[index] = aspect;
      const withIt = heightOf(index + 1, sum + aspect);
      if (withIt > target) {
        sum += aspect;
        continue;
      }
      const without = index > start ? heightOf(index, sum) : Number.POSITIVE_INFINITY;
      if (without - target < target - withIt) {
        endLine(index, without);
        sum = aspect;
        if (heightOf(index + 1, sum) <= target) endLine(index + 1, heightOf(index + 1, sum));
      } else {
        endLine(index + 1, withIt);
      }
    }
    if (size > start) endLine(size, Math.min(target, heightOf(size, sum)));
    this.height = Math.max(0, top - gap);
  }

  areaOf(index: number): Area {
    const line = this.#line[index] ?? 0;
    return {
      x: this.#left[index] ?? 0,
      y: this.#lineTop[line] ?? 0,
      width: this.#width[index] ?? 0,
      height: (this.#lineHeight[line] ?? 0) + this.#caption,
    };
  }

  firstAt(y: number): number {
    return this.#lineStart[this.#lineAt(y)] ?? 0;
  }

  nextLine(index: number): number {
    return this.#lineStart[(this.#line[index] ?? 0) + 1] ?? this.#line.length;
  }

  /**
   * Returns the row in the line above (-1) or below (1) whose centre is nearest to this row's; null if there is no such
   * line.
   */
  beside(index: number, step: -1 | 1): number | null {
    const line = (this.#line[index] ?? 0) + step;
    const from = this.#lineStart[line];
    if (from === undefined) return null;
    const middleOf = (row: number): number => (this.#left[row] ?? 0) + (this.#width[row] ?? 0) / 2;
    const wanted = middleOf(index);
    let nearest = from;
    for (let row = from; row < this.nextLine(from); row += 1) {
      if (Math.abs(middleOf(row) - wanted) < Math.abs(middleOf(nearest) - wanted)) nearest = row;
    }
    return nearest;
  }

  #addLine(aspects: Float64Array, start: number, end: number, top: number, height: number, width: number): void {
    const line = this.#lineStart.length;
    this.#lineStart.push(start);
    this.#lineTop.push(top);
    this.#lineHeight.push(Math.round(height));
    let exact = 0;
    for (let index = start; index < end; index += 1) {
      const left = Math.round(exact);
      exact += (aspects[index] ?? 1) * height;
      this.#left[index] = left;
      this.#width[index] = Math.min(width, Math.round(exact)) - left;
      this.#line[index] = line;
      exact += this.#gap;
    }
  }

  /** Returns the last line whose top is at or above this position. */
  #lineAt(y: number): number {
    let [low, high] = [0, this.#lineTop.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineTop[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
