/** The file has none of the six supported types, or its headers can't be read. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** Bytes that are read at once. Headers are close together, so one read often serves several. */
const WINDOW = 64 * 1024;

/** Reads parts of a file on demand, so that even a film of 2 GB takes little memory. */
export class FileReader {
  #window = new Uint8Array();
  #at = 0;

  constructor(readonly file: Blob) {}

  get size(): number {
    return this.file.size;
  }

  /** @throws UnreadableFile if the file ends before `offset + length` */
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

/** Bytes as text, such as the four-letter type of a box or chunk. */
export const textAt = (view: DataView, offset: number, length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(view.getUint8(offset + index))).join('');
