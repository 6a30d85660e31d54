import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { extract } from 'tar-stream';
import { readFully } from '../filesystem/disk/read-write.ts';
import { bytesOf } from './tar-format.ts';

/** The size of a tar is a multiple of this many bytes (POSIX.1-2017, pax, "ustar Interchange Format"). */
const BLOCK = 512;

/**
 * Number of bytes to read from the end of a tar. They hold a last file of 64 KiB, its header, and the zero padding of a
 * tar that was written in records of 10 KiB.
 */
const TAIL = 64 * 1024 + BLOCK + 10 * 1024;

/**
 * Returns the content of a tar's last file if that file has this name. Reads from the end, with bounded memory.
 *
 * @returns null when the last file has another name or is longer than about 64 KiB, or when the tar is incomplete
 * @throws the operating system's error when the file can't be read
 */
export async function lastFileOf(path: string, name: string): Promise<Uint8Array | null> {
  // With these flags, opening neither waits for a pipe's writer nor follows a link, in case either has replaced the
  // file.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const tail = await tailOf(file);
    if (tail === null) return null;
    for (let at = tail.length - BLOCK; at >= 0; at -= BLOCK) {
      const begins = tail.subarray(at, at + name.length + 1).toString('latin1') === `${name}\0`;
      if (begins) return await onlyFileIn(tail.subarray(at), name);
    }
    return null;
  } finally {
    await file.close();
  }
}

async function tailOf(file: FileHandle): Promise<Buffer | null> {
  const { size } = await file.stat();
  if (size === 0 || size % BLOCK !== 0) return null;
  const length = Math.min(size, TAIL - (TAIL % BLOCK));
  const tail = Buffer.from(await readFully(file, size - length, length));
  const end = tail.subarray(-2 * BLOCK);
  return tail.length === length && end.length === 2 * BLOCK && end.every((byte) => byte === 0) ? tail : null;
}

/**
 * Returns the content of the only file in the bytes; null if that file has another name, or if there isn't exactly one
 * file.
 */
async function onlyFileIn(bytes: Buffer, name: string): Promise<Uint8Array | null> {
  const members = extract();
  // The iteration below throws the same error.
  members.on('error', () => undefined);
  members.end(bytes);
  let found: Uint8Array | null = null;
  try {
    for await (const member of members) {
      if (found !== null || member.header.type !== 'file' || member.header.name !== name) return null;
      found = Buffer.concat(await Array.fromAsync(bytesOf(member)));
    }
    return found;
  } catch {
    // The bytes aren't a tar, or the tar is damaged.
    return null;
  } finally {
    members.destroy();
  }
}
