import type { Shared } from '../ports.ts';

/**
 * Milliseconds that must have passed since the last upload, because there are short gaps between the uploads of many
 * small files.
 */
const PAUSE = 1000;

/**
 * Returns a function that says whether the process is quiet: no request is being answered, no files are being uploaded,
 * no request waits for a preview, and the last upload was at least {@link PAUSE} ago.
 *
 * @param isIdle whether no request is being answered
 * @param now returns the milliseconds of a monotonic clock
 */
export function watchQuiet(
  { shares }: Pick<Shared, 'shares'>,
  isIdle: () => boolean,
  now: () => number = () => performance.now(),
): () => boolean {
  let uploads = shares.taken('uploads');
  let quietSince = Number.NEGATIVE_INFINITY;
  return () => {
    const taken = shares.taken('uploads');
    const isUploading = taken !== uploads || shares.figures('uploads').inUse > 0;
    uploads = taken;
    if (isUploading) quietSince = now() + PAUSE;
    return isIdle() && shares.figures('previews').waiting === 0 && now() >= quietSince;
  };
}
