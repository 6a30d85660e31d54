import { type BoundedReader, Unreadable } from './bounded-reader.ts';

/** A box of an ISO base media file (ISO/IEC 14496-12, section 4.2) or an atom of a QuickTime file: the same thing. */
export interface Box {
  readonly type: string;
  /** Where its content begins. */
  readonly start: number;
  /** Where the next box begins. */
  readonly end: number;
}

const HEADER_LENGTH = 8;
const LONG_HEADER_LENGTH = 16;
const TO_THE_END = 0;
const LONG_SIZE = 1;

/**
 * The boxes between two offsets, one after the other. Fewer than 8 bytes at the end are padding, as QuickTime has it.
 * Throws `Unreadable` when a box is smaller than its own header or reaches past `end`.
 */
export async function* boxesBetween(reader: BoundedReader, start: number, end: number): AsyncGenerator<Box> {
  let offset = start;
  while (offset + HEADER_LENGTH <= end) {
    const box = await readHeader(reader, offset, end);
    yield box;
    offset = box.end;
  }
}

async function readHeader(reader: BoundedReader, offset: number, end: number): Promise<Box> {
  const header = viewOf(await reader.read(offset, HEADER_LENGTH));
  const type = String.fromCharCode(header.getUint8(4), header.getUint8(5), header.getUint8(6), header.getUint8(7));
  let headerLength = HEADER_LENGTH;
  let size = header.getUint32(0);
  if (size === TO_THE_END) size = end - offset;
  if (size === LONG_SIZE) {
    headerLength = LONG_HEADER_LENGTH;
    size = Number(viewOf(await reader.read(offset, LONG_HEADER_LENGTH)).getBigUint64(HEADER_LENGTH));
  }
  if (size < headerLength) throw new Unreadable('A box is smaller than its header.');
  return { type, start: offset + headerLength, end: offset + size };
}

export interface ContentBox {
  readonly type: string;
  readonly content: Uint8Array;
}

export interface ParentBox {
  readonly type: string;
  readonly children: readonly BoxNode[];
}

/** A box in memory. */
export type BoxNode = ContentBox | ParentBox;

/** The nodes' bytes as a file has them. */
export function serialiseBoxes(nodes: readonly BoxNode[]): Uint8Array {
  const bytes = new Uint8Array(nodes.reduce((sum, node) => sum + lengthOf(node), 0));
  writeBoxes(nodes, bytes, 0);
  return bytes;
}

function lengthOf(node: BoxNode): number {
  if ('content' in node) return HEADER_LENGTH + node.content.length;
  return node.children.reduce((sum, child) => sum + lengthOf(child), HEADER_LENGTH);
}

function writeBoxes(nodes: readonly BoxNode[], bytes: Uint8Array, start: number): void {
  let offset = start;
  for (const node of nodes) {
    const length = lengthOf(node);
    viewOf(bytes).setUint32(offset, length);
    for (let index = 0; index < 4; index += 1) bytes[offset + 4 + index] = node.type.charCodeAt(index);
    if ('content' in node) bytes.set(node.content, offset + HEADER_LENGTH);
    else writeBoxes(node.children, bytes, offset + HEADER_LENGTH);
    offset += length;
  }
}

/** The content of the box at the end of the path, the first one at each step; undefined when there is none. */
export function contentAt(node: BoxNode, ...path: readonly string[]): Uint8Array | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return 'content' in node ? node.content : undefined;
  const child = 'children' in node ? node.children.find(({ type }) => type === step) : undefined;
  return child && contentAt(child, ...rest);
}

/** A view of the bytes. Throws `Unreadable` when they are fewer than the least. */
export function viewOf(bytes: Uint8Array, least = 0): DataView {
  if (bytes.length < least) throw new Unreadable('A box is too short.');
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
