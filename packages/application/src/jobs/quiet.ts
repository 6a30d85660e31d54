import type { Shared } from '../ports.ts';

/** Milliseconds of quiet after the last upload, as a burst of small files has moments without any. */
const PAUSE = 1000;

/**
 * Returns a function that says whether no request is being answered, is uploading files or waits for a preview, and no
 * files were uploaded a moment ago.
 *
 * @param isIdle whether no request is being answered
 * @param now milliseconds that never go back
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
