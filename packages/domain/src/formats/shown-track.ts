import type { BoundedReader } from './bounded-reader.ts';
import { contentAt, type ParentBox } from './box-node.ts';
import { contentView } from './boxes.ts';
import { Unreadable, Unsupported } from './errors.ts';
import { handlerOf, isEnabled, tableOf, tracksOf } from './tracks.ts';

/**
 * The video track that players show: the first enabled one with samples and a size, or the first such one if none is
 * enabled. QuickTime has chapter pictures in others. Everything that shows a video must ask this function.
 *
 * @throws Unsupported without a video track; Unreadable without any tracks; what the reader throws
 */
export async function shownTrackOf(reader: BoundedReader, movie: ParentBox): Promise<ParentBox> {
  const tracks = tracksOf(movie).filter((track) => handlerOf(track) === 'vide');
  const isFragmented = movie.children.some(({ type }) => type === 'mvex');
  const usable: ParentBox[] = [];
  for (const track of tracks)
    if (hasSize(track) && (isFragmented || (await hasSamples(reader, track)))) usable.push(track);
  const shown = [...usable.filter(isEnabled), ...usable, ...tracks.filter(isEnabled), ...tracks][0];
  if (shown !== undefined) return shown;
  if (tracksOf(movie).length === 0) throw new Unreadable('The movie has no tracks.');
  const hasSound = tracksOf(movie).some((track) => handlerOf(track) === 'soun');
  throw new Unsupported(hasSound ? SOUND_ONLY : 'has no video track.');
}

const SOUND_ONLY = 'has no video track, only sound. Audio files are not accepted.';

/** Width and height of the first description in `stsd` (ISO/IEC 14496-12, section 12.1.3). */
const FIRST_SIZE = 8 + 32;

function hasSize(track: ParentBox): boolean {
  const content = contentAt(track, 'mdia', 'minf', 'stbl', 'stsd');
  if (content === undefined || content.length < FIRST_SIZE + 4) return false;
  const view = contentView(content);
  return view.getUint16(FIRST_SIZE) > 0 && view.getUint16(FIRST_SIZE + 2) > 0;
}

/** Version and flags, a size, and the number of samples, in `stsz` as in `stz2` (section 8.7.3). */
const SIZES_HEADER = 12;

async function hasSamples(reader: BoundedReader, track: ParentBox): Promise<boolean> {
  const sizes = tableOf(track, 'stsz') ?? tableOf(track, 'stz2');
  if (sizes === null || sizes.end - sizes.start < SIZES_HEADER) return false;
  return contentView(await reader.read(sizes.start, SIZES_HEADER)).getUint32(SIZES_HEADER - 4) > 0;
}
