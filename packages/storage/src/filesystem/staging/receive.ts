import { unlink } from 'node:fs/promises';
import { LimitExceeded, type StageOptions } from '@postshelf/domain';
import { translateErrors } from '../disk/failures.ts';
import { BlockWriter } from './block-writer.ts';
import type { StagingArea, StagingFile } from './staging-area.ts';

/** A body that was received completely, in a file to which nothing more is written. */
export interface ReceivedFile extends StagingFile {
  readonly size: number;
  readonly sha256: string;
}

/**
 * Writes a body to a new file in the staging area, at the speed of the disk. Leaves no file when it throws.
 *
 * @throws LimitExceeded; any error of the body; Refusal `unavailable`
 */
export async function receive(
  staging: StagingArea,
  body: AsyncIterable<Uint8Array>,
  { limit }: StageOptions,
): Promise<ReceivedFile> {
  const { path, handle } = await staging.createFile();
  const writer = new BlockWriter(handle);
  const hash = new Bun.CryptoHasher('sha256');
  try {
    let size = 0;
    for await (const chunk of body) {
      if (chunk.byteLength > limit - size) throw new LimitExceeded(`The body is longer than ${limit} bytes.`);
      const adding = translateErrors(() => writer.add(chunk));
      // The chunk is hashed while it is written.
      hash.update(chunk);
      await adding;
      size += chunk.byteLength;
    }
    await translateErrors(() => writer.flush());
    await translateErrors(() => handle.sync());
    return { path, handle, size, sha256: hash.digest('hex') };
  } catch (error) {
    // The caller gets the first error. A file that can't be removed is later discarded as abandoned.
    await writer.close();
    await Promise.allSettled([handle.close(), unlink(path)]);
    throw error;
  }
}
