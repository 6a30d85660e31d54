import { big, type Field, type Layout, type Unit } from './layout.ts';

/**
 * The boxes that contain boxes, with the number of bytes before the first inner box (ISO/IEC 14496-12, sections 4.2 and
 * 8).
 */
const PARENTS: Readonly<Record<string, number>> = {
  moov: 0,
  trak: 0,
  mdia: 0,
  minf: 0,
  dinf: 0,
  stbl: 0,
  edts: 0,
  udta: 0,
  mvex: 0,
  moof: 0,
  traf: 0,
  mfra: 0,
  dref: 8,
  stsd: 8,
  avc1: 78,
};

/**
 * Number of bytes at the beginning of a box whose numbers are worth changing. The bytes after them are mostly sample
 * data.
 */
const MAX_FIELD_BYTES = 160;

/** Sample tables. Their last entries are also changed, because these refer to the last samples. */
const TABLES = new Set(['stts', 'ctts', 'stsc', 'stsz', 'stz2', 'stco', 'co64', 'trun', 'sidx', 'elst']);
const TAIL_BYTES = 24;

/** Returns the lengths and names of nested boxes, and the numbers of every header and table. */
export function movieLayout(bytes: Uint8Array): Layout {
  const layout = { fields: [] as Field[], units: [] as Unit[] };
  walk(bytes, 0, bytes.length, [], layout);
  return layout;
}

function walk(
  bytes: Uint8Array,
  start: number,
  end: number,
  lengthFields: readonly Field[],
  layout: { readonly fields: Field[]; readonly units: Unit[] },
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = start; at + 8 <= end; ) {
    const length = view.getUint32(at);
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
    const to = length < 8 ? end : Math.min(end, at + length);
    layout.units.push({ from: at, to, lengthFields });
    layout.fields.push(big(at, 4), big(at + 4, 4));
    const before = PARENTS[type];
    const content = at + 8 + (before ?? 0);
    if (type !== 'mdat') numbers(at + 8, Math.min(before === undefined ? to : content, at + MAX_FIELD_BYTES), layout);
    if (TABLES.has(type) && to - TAIL_BYTES > at + MAX_FIELD_BYTES) numbers(to - TAIL_BYTES, to, layout);
    if (before !== undefined) walk(bytes, content, to, [...lengthFields, big(at, 4)], layout);
    at = to;
  }
}

/**
 * Adds every number in a range as a field. Most numbers are four bytes long, at multiples of four; the width and height
 * of frames are two bytes long.
 */
function numbers(from: number, to: number, layout: { readonly fields: Field[] }): void {
  for (let at = from; at + 4 <= to; at += 4) layout.fields.push(big(at, 4), big(at, 2), big(at + 2, 2));
}
