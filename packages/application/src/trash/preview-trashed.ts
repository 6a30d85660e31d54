import { previewSizes, previewSubject, type TrashedMedia } from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';
import { decodeImage } from '../previews/make-previews.ts';

/** Pixels: as wide as a tile of the trash shows it. */
const WIDTH = 320;

/**
 * A preview of a deleted item, or of its cover: WebP, {@link WIDTH} across unless the picture is narrower. It is made for each caller
 * and stored nowhere, as whoever has a link could otherwise read it.
 *
 * @returns null if there is no picture, or none that can be decoded
 * @throws Refusal `busy`, `unavailable`
 */
export async function previewTrashed(
  ports: Pick<Ports, 'storage' | 'previewMaker'> & Pick<Shared, 'shares'>,
  trashed: TrashedMedia,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const subject = previewSubject(trashed);
  const size = subject && previewSizes(subject.content).findLast(({ width }) => width <= WIDTH);
  if (!size) return null;
  const releaseSlot = await ports.shares.take('previews', subject.workspaceId, signal);
  try {
    const made = await decodeImage(ports, subject, [size], signal);
    return made === null || made === 'missing' ? null : (made.files[0] ?? null);
  } finally {
    releaseSlot();
  }
}
