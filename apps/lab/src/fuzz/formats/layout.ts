/** A number in a file, or bytes that mean something: what changing it does is worth knowing. */
export interface Field {
  readonly at: number;
  /** Bytes. */
  readonly length: number;
  readonly endian: 'big' | 'little';
}

/** What a file is made of: a chunk, a segment, a block, a box. */
export interface Unit {
  readonly from: number;
  readonly to: number;
  /** Where the lengths stand that count this unit: those of the boxes around it. */
  readonly counted: readonly Field[];
}

/** Where in a file changes are worth trying. */
export interface Layout {
  readonly fields: readonly Field[];
  readonly units: readonly Unit[];
}

export const big = (at: number, length: number): Field => ({ at, length, endian: 'big' });
export const little = (at: number, length: number): Field => ({ at, length, endian: 'little' });
