/** A field of a file format, such as a length or a name, that is worth changing. */
export interface Field {
  readonly at: number;
  /** Length in bytes. */
  readonly length: number;
  readonly endian: 'big' | 'little';
}

/** A part of a file: a chunk, a segment, a block, a box. */
export interface Unit {
  readonly from: number;
  readonly to: number;
  /** The length fields of the boxes that contain this unit. */
  readonly lengthFields: readonly Field[];
}

/** The parts of a file that are worth changing. */
export interface Layout {
  readonly fields: readonly Field[];
  readonly units: readonly Unit[];
}

export const big = (at: number, length: number): Field => ({ at, length, endian: 'big' });
export const little = (at: number, length: number): Field => ({ at, length, endian: 'little' });
