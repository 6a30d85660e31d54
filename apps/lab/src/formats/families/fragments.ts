import { family } from '../family.ts';
import { box, contentOf, Movie, parent, uint32s } from '../parts/movie.ts';
import { movieOf } from './streams.ts';

const FLAGS = {
  'a fragment for each key frame': '+frag_keyframe+empty_moov+default_base_moof',
  'offsets from the beginning': '+frag_keyframe+empty_moov',
  'first frames in the header': '+frag_keyframe',
  'a fragment for each track': '+frag_keyframe+empty_moov+separate_moof',
  'delayed header': '+frag_keyframe+delay_moov+default_base_moof',
  'a fragment for each frame': '+frag_every_frame+empty_moov+default_base_moof',
  CMAF: '+cmaf+frag_keyframe',
  DASH: '+dash+frag_keyframe+delay_moov',
  'index of all': '+frag_keyframe+empty_moov+default_base_moof+global_sidx',
  'negative offsets of composition': '+frag_keyframe+empty_moov+default_base_moof+negative_cts_offsets',
} as const;
type Flag = keyof typeof FLAGS;
const FLAG_NAMES = Object.keys(FLAGS) as [Flag, ...Flag[]];

const EDITS = ['as encoded', 'none', 'delay left out', 'of no duration'] as const;
const BEGINS = ['at 0', 'at an hour', 'at a second', 'without a time'] as const;
const HEADERS = ['right', 'an hour', 'mehd of an hour', 'mehd right', 'all ones'] as const;
const ENDINGS = ['whole', 'half', 'trailing bytes', 'without the last fragment'] as const;

/** Videos whose samples are in fragments, as cameras, recorders and live streams write them. */
export const fragments = family({
  name: 'fragments',
  share: 240,
  axes: {
    stream: [
      'H.264 with B-frames',
      'H.264',
      'H.264 at 25 a second with B-frames',
      'H.264 with AAC',
      'H.264 with longer AAC',
      'H.264 of one frame',
      'HEVC',
      'AV1',
    ],
    container: ['mp4', 'mov'],
    flags: FLAG_NAMES,
    edits: EDITS,
    begins: BEGINS,
    header: HEADERS,
    index: ['as encoded', 'none'],
    ending: ENDINGS,
  },
  async make({ stream, container, flags, edits, begins, header, index, ending }) {
    // A different start time would move only the frames in the fragments, not those in the header.
    if (flags === 'first frames in the header' && begins !== 'at 0') return null;
    const bytes = await movieOf(stream, container, ['-g', '8', '-movflags', FLAGS[flags]]);
    if (bytes === null) return null;
    const movie = new Movie(bytes);
    if (movie.find('moof') === undefined) return null;
    if (!changeEdits(movie, edits) || !changeStart(movie, begins)) return null;
    changeDuration(movie, header);
    if (ending === 'without the last fragment' && !removeLastFragment(movie)) return null;
    // Removes the indexes if the traits omit them, or if a change moves boxes, so that the indexes' offsets are wrong.
    const isChanged =
      edits !== 'as encoded' ||
      begins === 'without a time' ||
      header !== 'right' ||
      index === 'none' ||
      ending === 'without the last fragment';
    if (isChanged) movie.boxes = movie.boxes.filter(({ type }) => !['sidx', 'mfra', 'styp'].includes(type));
    const ended = end(movie, ending);
    return ended && { bytes: ended, extension: container, expected: ending === 'half' ? 'damaged' : 'taken' };
  },
});

const [TIMESCALE, DURATION] = [12, 16];

/** Changes the edit list of the video track; returns false if the track doesn't allow this change. */
function changeEdits(movie: Movie, edits: (typeof EDITS)[number]): boolean {
  if (edits === 'as encoded') return true;
  const track = movie.video;
  const list = track.children.find(({ type }) => type === 'edts');
  switch (edits) {
    case 'none':
      track.children = track.children.filter((each) => each !== list);
      return list !== undefined;
    case 'of no duration': {
      const content = list?.children[0]?.content;
      content?.writeUInt32BE(0, 8);
      return content != null;
    }
    case 'delay left out': {
      if (list) return false;
      // The time between decoding the first frame and showing it, in units of the media's timescale.
      const run = movie.get('moof').children.find(({ type }) => type === 'traf');
      const delay = run && firstOffset(contentOf(run, 'trun'));
      if (!delay) return false;
      track.children.splice(1, 0, parent('edts', box('elst', uint32s(0, 1, 0, delay, 0x10000))));
      return true;
    }
  }
}

/** Returns the composition offset of a run's first sample; 0 if it has none (section 8.8.8). */
function firstOffset(run: Buffer): number {
  const flags = run.readUInt32BE() & 0xffffff;
  if ((flags & 0x800) === 0) return 0;
  const before = 8 + ((flags & 1) !== 0 ? 4 : 0) + ((flags & 4) !== 0 ? 4 : 0);
  const fields = [0x100, 0x200, 0x400].filter((flag) => (flags & flag) !== 0).length;
  return run.length >= before + 4 * fields + 4 ? run.readInt32BE(before + 4 * fields) : 0;
}

/** Changes the times at which the fragments start; returns false if a fragment has none. */
function changeStart(movie: Movie, begins: (typeof BEGINS)[number]): boolean {
  if (begins === 'at 0') return true;
  const seconds = begins === 'at an hour' ? 3600 : 1;
  const scales = new Map(
    movie
      .get('moov')
      .children.filter(({ type }) => type === 'trak')
      .map((track) => [
        contentOf(track, 'tkhd').readUInt32BE(12),
        contentOf(track, 'mdia', 'mdhd').readUInt32BE(TIMESCALE),
      ]),
  );
  const parts = movie.boxes.filter(({ type }) => type === 'moof').flatMap(({ children }) => children);
  const runs = parts.filter(({ type }) => type === 'traf');
  for (const run of runs) {
    const time = run.children.find(({ type }) => type === 'tfdt');
    if (!time?.content) return false;
    const by = seconds * (scales.get(contentOf(run, 'tfhd').readUInt32BE(4)) ?? 0);
    if (begins === 'without a time') {
      // The box is renamed instead of removed, so that the fragment keeps its length. Otherwise the run's data offset,
      // which counts from the fragment's beginning, would become wrong.
      time.type = 'free';
    } else if (time.content[0] === 1) {
      time.content.writeBigUInt64BE(time.content.readBigUInt64BE(4) + BigInt(by), 4);
    } else time.content.writeUInt32BE(time.content.readUInt32BE(4) + by, 4);
  }
  return runs.length > 0;
}

/** Changes the duration that the movie's header announces. */
function changeDuration(movie: Movie, header: (typeof HEADERS)[number]): void {
  if (header === 'right') return;
  const movieHeader = contentOf(movie.get('moov'), 'mvhd');
  const scale = movieHeader.readUInt32BE(TIMESCALE);
  if (header.startsWith('mehd')) {
    const extends_ = movie.get('moov', 'mvex');
    extends_.children = extends_.children.filter(({ type }) => type !== 'mehd');
    extends_.children.unshift(box('mehd', uint32s(0, (header === 'mehd right' ? 2.6 : 3600) * scale)));
    return;
  }
  movieHeader.writeUInt32BE(header === 'an hour' ? 3600 * scale : 0xffffffff, DURATION);
}

/** Removes the last of at least three fragments; otherwise returns false. The shorter video is still complete. */
function removeLastFragment(movie: Movie): boolean {
  const heads = movie.boxes.filter(({ type }) => type === 'moof');
  const last = heads.at(-1);
  if (last === undefined || heads.length < 3) return false;
  movie.boxes = movie.boxes.slice(0, movie.boxes.indexOf(last));
  return true;
}

function end(movie: Movie, ending: (typeof ENDINGS)[number]): Uint8Array | null {
  const written = movie.write();
  if (ending === 'half') return half(movie, written);
  return ending === 'trailing bytes' ? Buffer.concat([written, Buffer.alloc(3000, 0x5a)]) : written;
}

/** Cuts the file inside the last media data. */
function half(movie: Movie, written: Uint8Array): Uint8Array | null {
  const last = movie.boxes.at(-1);
  const data = movie.boxes.findLast(({ type }) => type === 'mdat');
  if (data === undefined || !last) return null;
  const at = Buffer.from(written).lastIndexOf('mdat');
  return written.subarray(0, at + 4 + ((data.content?.length ?? 0) >> 1));
}
