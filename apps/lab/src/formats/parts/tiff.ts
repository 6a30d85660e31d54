/** Types of values (EXIF 3.0, section 4.6.2), with their lengths in bytes. */
const TYPES = {
  BYTE: [1, 1],
  SHORT: [3, 2],
  LONG: [4, 4],
  SSHORT: [8, 2],
  SLONG: [9, 4],
} as const;

export type FieldType = keyof typeof TYPES;

export interface Field {
  readonly tag: number;
  readonly type: FieldType;
  readonly value: number;
  /** The number of values that the field claims to have. Default 1. */
  readonly count?: number;
}

const ORIENTATION = 0x0112;
export const orientationField = (value: number, type: FieldType = 'SHORT', count = 1): Field => ({
  tag: ORIENTATION,
  type,
  value,
  count,
});

interface TiffOptions {
  readonly isLittleEndian: boolean;
  /** Fields of the second directory. */
  readonly second?: readonly Field[];
  /** The offset of the first directory; 8 is directly after the header. */
  readonly start?: number;
}

/** Returns a TIFF block as in EXIF metadata. Its fields contain their values directly. */
export function tiffBlock(
  first: readonly Field[],
  { isLittleEndian, second = [], start = 8 }: TiffOptions,
): Uint8Array {
  const lengthOf = (fields: readonly Field[]): number => 2 + 12 * fields.length + 4;
  const next = start + lengthOf(first);
  const bytes = Buffer.alloc(next + (second.length > 0 ? lengthOf(second) : 0));
  const put = (at: number, value: number, length: number): void =>
    void (isLittleEndian ? bytes.writeUIntLE(value, at, length) : bytes.writeUIntBE(value, at, length));
  bytes.write(isLittleEndian ? 'II' : 'MM', 'latin1');
  put(2, 42, 2);
  put(4, start, 4);
  const directory = (at: number, fields: readonly Field[], following: number): void => {
    put(at, fields.length, 2);
    for (const [index, { tag, type, value, count = 1 }] of fields.entries()) {
      const [code, length] = TYPES[type];
      const entry = at + 2 + 12 * index;
      put(entry, tag, 2);
      put(entry + 2, code, 2);
      put(entry + 4, count, 4);
      put(entry + 8, value, length);
    }
    put(at + 2 + 12 * fields.length, following, 4);
  };
  directory(start, first, second.length > 0 ? next : 0);
  if (second.length > 0) directory(next, second, 0);
  return bytes;
}
