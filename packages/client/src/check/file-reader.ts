/** A file that isn't one of the six types, or whose headers don't say what it is. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Bytes that are read at once: headers are close together. */
const WINDOW = 64 * 1024;

/** Reads a few parts of a file, so that a film of 2 GB costs no memory. */
export class FileReader {
  #window = new Uint8Array();
  #at = 0;

  constructor(readonly file: Blob) {}

  get size(): number {
    return this.file.size;
  }

  /** @throws UnreadableFile where the file ends before */
  async read(offset: number, length: number): Promise<DataView> {
    if (offset + length > this.size) throw new UnreadableFile('The file ends in its headers.');
    if (offset < this.#at || offset + length > this.#at + this.#window.length) {
      const end = Math.min(this.size, offset + Math.max(length, WINDOW));
      this.#window = new Uint8Array(await this.file.slice(offset, end).arrayBuffer());
      this.#at = offset;
    }
    return new DataView(this.#window.buffer, offset - this.#at, length);
  }
}

/** Bytes as text, for the four letters of boxes and chunks. */
export const textAt = (view: DataView, offset: number, length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(view.getUint8(offset + index))).join('');
