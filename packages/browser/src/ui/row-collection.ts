import type { Collection, Key, Node } from 'react-stately';

export interface RowSource<T> {
  readonly size: number;
  keyAt(index: number): Key;
  indexOf(key: Key): number;
  valueAt(index: number): T | null;
  /** Returns the row's name; typing its first letters finds the row. */
  nameAt(index: number): string;
}

/**
 * A collection for react-aria's hooks that creates nodes on demand; react-aria's own collections hold a node for each
 * item, and rebuild all of them on every change.
 */
export class RowCollection<T> implements Collection<Node<T>> {
  constructor(private readonly rows: RowSource<T>) {}

  get size(): number {
    return this.rows.size;
  }

  at(index: number): Node<T> | null {
    if (index < 0 || index >= this.rows.size) return null;
    const key = this.rows.keyAt(index);
    return {
      type: 'item',
      key,
      index,
      value: this.rows.valueAt(index),
      textValue: this.rows.nameAt(index),
      level: 0,
      hasChildNodes: false,
      childNodes: [],
      rendered: null,
      props: {},
      parentKey: null,
      prevKey: this.keyAt(index - 1),
      nextKey: this.keyAt(index + 1),
    };
  }

  getItem(key: Key): Node<T> | null {
    return this.at(this.rows.indexOf(key));
  }

  getKeyBefore(key: Key): Key | null {
    const index = this.rows.indexOf(key);
    return index < 0 ? null : this.keyAt(index - 1);
  }

  getKeyAfter(key: Key): Key | null {
    const index = this.rows.indexOf(key);
    return index < 0 ? null : this.keyAt(index + 1);
  }

  getFirstKey(): Key | null {
    return this.keyAt(0);
  }

  getLastKey(): Key | null {
    return this.keyAt(this.rows.size - 1);
  }

  getTextValue(key: Key): string {
    return this.getItem(key)?.textValue ?? '';
  }

  getChildren(): Iterable<Node<T>> {
    return [];
  }

  *getKeys(): Generator<Key> {
    for (let index = 0; index < this.rows.size; index += 1) yield this.rows.keyAt(index);
  }

  *[Symbol.iterator](): Generator<Node<T>> {
    for (let index = 0; index < this.rows.size; index += 1) {
      const node = this.at(index);
      if (node) yield node;
    }
  }

  private keyAt(index: number): Key | null {
    return index >= 0 && index < this.rows.size ? this.rows.keyAt(index) : null;
  }
}
