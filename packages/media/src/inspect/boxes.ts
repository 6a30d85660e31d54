import { type BoundedReader, Unreadable } from './bounded-reader.ts';

/**
 * A box of an ISO base media file (ISO/IEC 14496-12, section 4.2), or an atom of a QuickTime file, which is the same.
 */
export interface Box {
  readonly type: string;
  /** The offset of its header. */
  readonly from: number;
  /** The offset of its content. */
  readonly start: number;
  /** The offset of the next box. */
  readonly end: number;
}

/** The least length of a box: its size and its type. */
export const HEADER_LENGTH = 8;
const LONG_HEADER_LENGTH = 16;
const TO_THE_END = 0;
const LONG_SIZE = 1;

/**
 * The boxes between two offsets, one after the other. Fewer than 8 bytes at the end are padding, as QuickTime has it.
 * Throws `Unreadable` when a box is smaller than its own header.
 */
export async function* boxesBetween(reader: BoundedReader, start: number, end: number): AsyncGenerator<Box> {
  let offset = start;
  while (offset + HEADER_LENGTH <= end) {
    const box = await boxAt(reader, offset, end);
    if (box === null) throw new Unreadable('A box is smaller than its header.');
    yield box;
    offset = box.end;
  }
}

/**
 * The box at the offset, which may reach past `end`; null if the bytes there aren't a box, because its size is smaller
 * than its header. At least 8 bytes must be available.
 */
export async function boxAt(reader: BoundedReader, from: number, end: number): Promise<Box | null> {
  const header = viewOf(await reader.read(from, HEADER_LENGTH));
  const type = fourCc(header, 4);
  let headerLength = HEADER_LENGTH;
  let size = header.getUint32(0);
  if (size === TO_THE_END) size = end - from;
  if (size === LONG_SIZE) {
    if (from + LONG_HEADER_LENGTH > reader.size) return { type, from, start: from, end: Number.POSITIVE_INFINITY };
    headerLength = LONG_HEADER_LENGTH;
    size = uint64(viewOf(await reader.read(from, LONG_HEADER_LENGTH)), HEADER_LENGTH);
  }
  return size < headerLength ? null : { type, from, start: from + headerLength, end: from + size };
}

/** Four bytes as text: a type, a handler, a brand. */
export const fourCc = (view: DataView, at: number): string =>
  String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));

/** A 64-bit integer; only approximate above 2^53, which no file reaches. */
export const uint64 = (view: DataView, at: number): number => view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);

export interface ContentBox {
  readonly type: string;
  readonly content: Uint8Array;
}

export interface ParentBox {
  readonly type: string;
  readonly children: readonly BoxNode[];
}

/** The place of a table in the file, as it is too long to be kept. */
interface TableBox {
  readonly type: string;
  readonly table: Box;
}

/** A box in memory. */
export type BoxNode = ContentBox | ParentBox | TableBox;

/** The bytes of the nodes as in a file, without the tables. */
export function serialiseBoxes(nodes: readonly BoxNode[]): Uint8Array {
  const bytes = new Uint8Array(nodes.reduce((sum, node) => sum + lengthOf(node), 0));
  writeBoxes(nodes, bytes, 0);
  return bytes;
}

function lengthOf(node: BoxNode): number {
  if ('table' in node) return 0;
  if ('content' in node) return HEADER_LENGTH + node.content.length;
  return node.children.reduce((sum, child) => sum + lengthOf(child), HEADER_LENGTH);
}

function writeBoxes(nodes: readonly BoxNode[], bytes: Uint8Array, start: number): void {
  let offset = start;
  for (const node of nodes) {
    if ('table' in node) continue;
    const length = lengthOf(node);
    viewOf(bytes).setUint32(offset, length);
    for (let index = 0; index < 4; index += 1) bytes[offset + 4 + index] = node.type.charCodeAt(index);
    if ('content' in node) bytes.set(node.content, offset + HEADER_LENGTH);
    else writeBoxes(node.children, bytes, offset + HEADER_LENGTH);
    offset += length;
  }
}

/** The box at the end of the path, the first one at each step; undefined when there is none. */
export function nodeAt(node: BoxNode, ...path: readonly string[]): BoxNode | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return node;
  const child = 'children' in node ? node.children.find(({ type }) => type === step) : undefined;
  return child && nodeAt(child, ...rest);
}

/** The content of the box at the end of the path; undefined when there is none. */
export function contentAt(node: BoxNode, ...path: readonly string[]): Uint8Array | undefined {
  const found = nodeAt(node, ...path);
  return found && 'content' in found ? found.content : undefined;
}

/** A view of the bytes. Throws `Unreadable` when they are fewer than the least. */
export function viewOf(bytes: Uint8Array, least = 0): DataView {
  if (bytes.length < least) throw new Unreadable('A box is too short.');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
