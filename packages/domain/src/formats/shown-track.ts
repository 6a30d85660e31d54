import type { BoundedReader } from './bounded-reader.ts';
import type { ParentBox } from './box-node.ts';
import { descriptionsOf } from './descriptions.ts';
import { Unreadable, Unsupported } from './errors.ts';
import { sampleCountOf } from './sample-sizes.ts';
import { handlerOf, isEnabled, isFragmented, tracksOf } from './tracks.ts';

/**
 * Returns the video track that players show: the first enabled one with samples and a size. If no enabled track has
 * these, it is the first one that has them. In QuickTime files, other video tracks may contain chapter images.
 * Everything that shows a video must use this function.
 *
 * @throws Unsupported if there is no video track; Unreadable if there are no tracks at all; whatever the reader throws
 */
export async function shownTrackOf(reader: BoundedReader, movie: ParentBox): Promise<ParentBox> {
  const tracks = tracksOf(movie).filter((track) => handlerOf(track) === 'vide');
  const usable: ParentBox[] = [];
  for (const track of tracks)
    if (hasSize(track) && (isFragmented(movie) || ((await sampleCountOf(reader, track)) ?? 0) > 0)) usable.push(track);
  const shown = [...usable.filter(isEnabled), ...usable, ...tracks.filter(isEnabled), ...tracks][0];
  if (shown !== undefined) return shown;
  if (tracksOf(movie).length === 0) throw new Unreadable('The movie has no tracks.');
  const hasSound = tracksOf(movie).some((track) => handlerOf(track) === 'soun');
  throw new Unsupported(hasSound ? SOUND_ONLY : 'has no video track.');
}

const SOUND_ONLY = 'has no video track, only sound. Audio files are not accepted.';

/** Offset of the width and height of the first description in `stsd` (ISO/IEC 14496-12, section 12.1.3). */
const FIRST_SIZE = 8 + 32;

function hasSize(track: ParentBox): boolean {
  const list = descriptionsOf(track);
  if (list === null || list.byteLength < FIRST_SIZE + 4) return false;
  return list.getUint16(FIRST_SIZE) > 0 && list.getUint16(FIRST_SIZE + 2) > 0;
}
