import { REQUEST_ENDED_EARLY, Refusal, type StagedObject, type UploadTerms, type Uuid } from '@postshelf/domain';
import { turns } from '../fair-share/event-loop.ts';
import type { Ports, Shared } from '../ports.ts';

const READ = 4 * 1024 * 1024;

/** Some milliseconds of the main thread. */
const PIECE = 1024 * 1024;

/**
 * The hash of an uploaded file; null if it is unknown and not needed. A file that was sent straight to the storage is
 * read for it, in a slot, if the terms need it.
 *
 * @throws Refusal `busy` if too many files are being read
 */
export async function hashUpload(
  { shares, digest }: Pick<Ports, 'digest'> & Pick<Shared, 'shares'>,
  workspaceId: Uuid,
  upload: StagedObject,
  terms: UploadTerms,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | null> {
  const isWanted = terms.sha256 !== null || terms.onDuplicate === 'return';
  if (upload.sha256 !== null || !isWanted) return upload.sha256;
  const releaseSlot = await shares.take('hashes', workspaceId, signal);
  try {
    const { sha256 } = await digest(piecesOf(upload, signal));
    return sha256;
  } finally {
    releaseSlot();
  }
}

async function* piecesOf(upload: StagedObject, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < upload.size; ) {
    if (signal.aborted) throw new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY });
    const bytes = await upload.read(offset, READ);
    if (bytes.length === 0) throw new Error(`The upload ended at ${offset} of ${upload.size} bytes.`);
    offset += bytes.length;
    for (let start = 0; start < bytes.length; start += PIECE) {
      yield bytes.subarray(start, start + PIECE);
      await turns.next();
    }
  }
}
