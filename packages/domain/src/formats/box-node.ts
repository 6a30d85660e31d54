import { BOX_HEADER, type Box } from './boxes.ts';
import { viewOf } from './forward-reader.ts';

export interface ContentBox {
  readonly type: string;
  readonly content: Uint8Array;
}

export interface ParentBox {
  readonly type: string;
  readonly children: readonly BoxNode[];
}

/** A box that is too long to be kept in memory. Only its position is kept. */
interface TableBox {
  readonly type: string;
  readonly table: Box;
}

export type BoxNode = ContentBox | ParentBox | TableBox;

/** Serialises boxes in the file format. Leaves out every {@link TableBox}, because its content isn't in memory. */
export function serialiseBoxes(nodes: readonly BoxNode[]): Uint8Array {
  const bytes = new Uint8Array(nodes.reduce((sum, node) => sum + lengthOf(node), 0));
  writeBoxes(nodes, bytes, 0);
  return bytes;
}

function lengthOf(node: BoxNode): number {
  if ('table' in node) return 0;
  if ('content' in node) return BOX_HEADER + node.content.length;
  return node.children.reduce((sum, child) => sum + lengthOf(child), BOX_HEADER);
}

function writeBoxes(nodes: readonly BoxNode[], bytes: Uint8Array, start: number): void {
  let offset = start;
  for (const node of nodes) {
    if ('table' in node) continue;
    const length = lengthOf(node);
    viewOf(bytes).setUint32(offset, length);
    for (let index = 0; index < 4; index += 1) bytes[offset + 4 + index] = node.type.charCodeAt(index);
    if ('content' in node) bytes.set(node.content, offset + BOX_HEADER);
    else writeBoxes(node.children, bytes, offset + BOX_HEADER);
    offset += length;
  }
}

/** Returns the box at a path, taking the first box of the type at each step; undefined if there is none. */
export function nodeAt(node: BoxNode, ...path: readonly string[]): BoxNode | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return node;
  const child = 'children' in node ? node.children.find(({ type }) => type === step) : undefined;
  return child && nodeAt(child, ...rest);
}

/** Returns the content of the box at a path; undefined if there is none. */
export function contentAt(node: BoxNode, ...path: readonly string[]): Uint8Array | undefined {
  const found = nodeAt(node, ...path);
  return found && 'content' in found ? found.content : undefined;
}
