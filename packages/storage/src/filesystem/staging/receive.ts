import { unlink } from 'node:fs/promises';
import { type ByteSource, LimitExceeded, type StageOptions } from '@postshelf/domain';
import { translateErrors } from '../disk/failures.ts';
import { readFully } from '../disk/read-write.ts';
import { BlockWriter } from './block-writer.ts';
import type { StagingArea, StagingFile } from './staging-area.ts';

/** A completely received and synced body, in a file that isn't written to any more. */
export interface ReceivedFile extends StagingFile {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** Written bytes between two calls of `onGrown`: the frame for a film's cover may be among the first of them. */
const GROWTH = 4 * 1024 * 1024;

/**
 * Writes a body to a new file in the staging area, at the speed of the disk: while a block is written only the next one
 * is received. Leaves no file when it throws.
 *
 * @throws LimitExceeded; any error of the body; Refusal `unavailable`
 */
export async function receive(
  staging: StagingArea,
  body: AsyncIterable<Uint8Array>,
  { limit, onGrown }: StageOptions,
): Promise<ReceivedFile> {
  const { path, handle } = await staging.createFile();
  const writer = new BlockWriter(handle);
  const hash = new Bun.CryptoHasher('sha256');
  try {
    let size = 0;
    let told = 0;
    for await (const chunk of body) {
      if (chunk.byteLength > limit - size) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
      hash.update(chunk);
      await translateErrors(() => writer.add(chunk));
      size += chunk.byteLength;
      if (onGrown && writer.written - told >= GROWTH) {
        told = writer.written;
        onGrown(beginningOf({ path, handle }, told), false);
      }
    }
    await translateErrors(() => writer.flush());
    onGrown?.(beginningOf({ path, handle }, size), true);
    await translateErrors(() => handle.sync());
    return { path, handle, size, sha256: hash.digest('hex') };
  } catch (error) {
    // The caller gets the first error. A file that can't be removed is left to the sweep.
    await writer.close();
    await Promise.allSettled([handle.close(), unlink(path)]);
    throw error;
  }
}

/** The part of a file that is written already. */
const beginningOf = ({ path, handle }: StagingFile, size: number): ByteSource => ({
  path,
  size,
  read: (offset, length) =>
    translateErrors(() => readFully(handle, offset, Math.min(length, Math.max(0, size - offset)))),
});
