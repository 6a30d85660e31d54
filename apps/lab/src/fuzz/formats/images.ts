import { big, type Field, type Layout, little, type Unit } from './layout.ts';

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/**
 * Returns the segments before the image data: marker, length, content (ITU-T T.81, B.1.1.4), including the frame
 * header's numbers.
 */
export function jpegLayout(bytes: Uint8Array): Layout {
  const fields: Field[] = [];
  const units: Unit[] = [];
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    const to = at + 2 + view(bytes).getUint16(at + 2);
    units.push({ from: at, to, lengthFields: [] });
    fields.push(big(at + 1, 1), big(at + 2, 2));
    // Frame headers: precision, height, width, components (B.2.2). APP1: the EXIF directory.
    if (marker >= 0xc0 && marker <= 0xc2) fields.push(big(at + 4, 1), big(at + 5, 2), big(at + 7, 2), big(at + 9, 1));
    if (marker === 0xe1) for (let field = at + 10; field + 2 <= to; field += 2) fields.push(little(field, 2));
    if (marker === 0xda) break;
    at = to;
  }
  return { fields, units };
}

/** Returns the chunks: length, type, data, CRC (PNG, section 5.3). */
export function pngLayout(bytes: Uint8Array): Layout {
  const fields: Field[] = [];
  const units: Unit[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view(bytes).getUint32(at);
    units.push({ from: at, to: at + 12 + length, lengthFields: [] });
    fields.push(big(at, 4), big(at + 4, 4), big(at + 8 + length, 4));
    for (let field = at + 8; field < at + 8 + Math.min(length, 32); field += 4) fields.push(big(field, 4));
    at += 12 + length;
  }
  return { fields, units };
}

const COLOR_TABLE = 0x80;
const tableLength = (flags: number): number => (flags & COLOR_TABLE ? 3 * (2 << (flags & 7)) : 0);

/** Returns the logical screen, and the blocks of sub-blocks (GIF89a, appendix A). */
export function gifLayout(bytes: Uint8Array): Layout {
  const fields = [little(6, 2), little(8, 2), little(10, 1), little(11, 1), little(12, 1)];
  const units: Unit[] = [];
  let at = 13 + tableLength(bytes[10] ?? 0);
  while (at < bytes.length && bytes[at] !== 0x3b) {
    const from = at;
    fields.push(little(at, 1));
    if (bytes[at] === 0x2c) {
      for (const field of [1, 3, 5, 7]) fields.push(little(at + field, 2));
      fields.push(little(at + 9, 1), little(at + 10 + tableLength(bytes[at + 9] ?? 0), 1));
      at += 11 + tableLength(bytes[at + 9] ?? 0);
    } else at += 2;
    while (at < bytes.length && bytes[at] !== 0) {
      fields.push(little(at, 1));
      at += 1 + (bytes[at] ?? 0);
    }
    at += 1;
    units.push({ from, to: at, lengthFields: [] });
  }
  return { fields, units };
}

/**
 * Returns the RIFF chunks: name, length, data padded to an even length; and the dimensions in VP8X, VP8 and VP8L (RFC
 * 9649).
 */
export function webpLayout(bytes: Uint8Array): Layout {
  const fields = [little(4, 4), big(8, 4)];
  const units: Unit[] = [];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view(bytes).getUint32(at + 4, true);
    const to = at + 8 + length + (length % 2);
    fields.push(big(at, 4), little(at + 4, 4));
    for (let field = at + 8; field < Math.min(to, at + 24); field += 2) fields.push(little(field, 2), little(field, 3));
    units.push({ from: at, to, lengthFields: [little(4, 4)] });
    at = to;
  }
  return { fields, units };
}
