import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes; a single write(2) may write only some of them. */
export async function writeFully(file: Pick<FileHandle, 'write'>, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, position + done);
    done += bytesWritten;
  }
}

/** Reads `length` bytes, or fewer only at the end of the file; a single read(2) may return fewer anywhere. */
export async function readFully(file: Pick<FileHandle, 'read'>, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
