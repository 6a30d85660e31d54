import type { BoundedReader } from './bounded-reader.ts';
import type { BoxNode, ContentBox, ParentBox } from './box-node.ts';
import { type Box, boxAt, boxesBetween, contentView } from './boxes.ts';
import { Unreadable } from './errors.ts';

/** `content` keeps a box whole, `table` only its position, and a nested plan says which children are kept. */
export type Plan = { readonly [type: string]: 'content' | 'table' | Plan };

/** Limits. Even a video of three hours with 60 frames per second and one fragment per second stays below them. */
const MAX_BOXES = 500_000;
const MAX_SIBLINGS = 256;
const MAX_CONTENT_LENGTH = 1024 * 1024;
const MAX_CONTENT_IN_ALL = 32 * 1024 * 1024;
/** Maximum length of `stsd` in bytes. It has a limit of its own, because its boxes may be nested to any depth. */
const MAX_DESCRIPTIONS_LENGTH = 64 * 1024;
const MAX_DESCRIPTIONS = 16;

/** Reads boxes into memory according to a plan, and limits their total number and size. */
export class BoxTree {
  #boxes = 0;
  #bytes = 0;

  /**
   * Reads a box at the top level of the file; null if the bytes there aren't a box. Throws `Unreadable` after too many
   * boxes.
   */
  async top(reader: BoundedReader, offset: number): Promise<Box | null> {
    this.#count();
    return boxAt(reader, offset, reader.size);
  }

  /** Reads a box with the children that the plan names. Throws `Unreadable` if a child extends beyond the box. */
  async keep(reader: BoundedReader, box: Box, plan: Plan): Promise<ParentBox> {
    const children: BoxNode[] = [];
    for await (const child of boxesBetween(reader, box.start, box.end)) {
      this.#count();
      if (child.end > box.end) throw new Unreadable('A box extends past the end of its parent.');
      const what = Object.hasOwn(plan, child.type) ? plan[child.type] : undefined;
      if (what === undefined) continue;
      if (what === 'table') children.push({ type: child.type, table: child });
      else children.push(what === 'content' ? await this.content(reader, child) : await this.keep(reader, child, what));
      if (children.length > MAX_SIBLINGS) throw new Unreadable('A box contains too many boxes.');
    }
    return { type: box.type, children };
  }

  /** Reads a whole box. Throws `Unreadable` if it has too many bytes. */
  async content(reader: BoundedReader, { type, start, end }: Box): Promise<ContentBox> {
    const length = end - start;
    this.#bytes += length;
    if (length > MAX_CONTENT_LENGTH || this.#bytes > MAX_CONTENT_IN_ALL)
      throw new Unreadable('The headers are too long.');
    // `Uint8Array.from` makes a copy; `slice` of a Buffer wouldn't.
    const content = Uint8Array.from(await reader.read(start, length));
    if (type === 'stsd') checkDescriptions(content);
    return { type, content };
  }

  #count(): void {
    this.#boxes += 1;
    if (this.#boxes > MAX_BOXES) throw new Unreadable('Too many boxes.');
  }
}

function checkDescriptions(content: Uint8Array): void {
  const tooLong = content.length > MAX_DESCRIPTIONS_LENGTH;
  if (tooLong || contentView(content, 8).getUint32(4) > MAX_DESCRIPTIONS)
    throw new Unreadable('Too many descriptions.');
}

/** Returns a copy with only the boxes that the plan names. */
export function pick(node: ParentBox, plan: Plan): ParentBox {
  const children = node.children.flatMap((child) => {
    const what = Object.hasOwn(plan, child.type) ? plan[child.type] : undefined;
    if (what === undefined) return [];
    return 'children' in child && typeof what === 'object' ? [pick(child, what)] : [child];
  });
  return { type: node.type, children };
}
