import { previewSizes, previewSubject, TRASH_PREVIEW_WIDTH, type TrashedMedia } from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';
import { decodeImage } from '../previews/make-previews.ts';

/**
 * Makes a preview of a deleted item, or of its cover: a WebP image that is {@link TRASH_PREVIEW_WIDTH} wide unless the original is
 * narrower. The preview isn't stored, because anyone who knows its link could then read it.
 *
 * @returns null if there is no image, or none that can be decoded
 * @throws Refusal `busy`, `unavailable`
 */
export async function previewTrashed(
  ports: Pick<Ports, 'storage' | 'previewMaker'> & Pick<Shared, 'shares'>,
  trashed: TrashedMedia,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const subject = previewSubject(trashed);
  const size = subject && previewSizes(subject.content).findLast(({ width }) => width <= TRASH_PREVIEW_WIDTH);
  if (!size) return null;
  const releaseSlot = await ports.shares.take('previews', subject.workspaceId, signal);
  try {
    const made = await decodeImage(ports, subject, [size], signal);
    return made === null || made === 'missing' ? null : (made.files[0] ?? null);
  } finally {
    releaseSlot();
  }
}
