import { type Expected, family, type Made } from '../family.ts';
import { still } from '../parts/encode.ts';
import { type Box, below, box, contentOf, Movie, uint32s } from '../parts/movie.ts';
import { OTHERS } from '../parts/quarters.ts';
import { changeTimes, EDITS, HEADERS } from './movie-times.ts';
import { movieOf, STREAM_NAMES } from './streams.ts';

/** The major brand and the compatible brands. */
const BRANDS = {
  'as encoded': null,
  isom: ['isom', 'isom', 'iso2', 'mp41'],
  'isom alone': ['isom'],
  mp42: ['mp42', 'mp42', 'isom'],
  mp41: ['mp41', 'mp41'],
  avc1: ['avc1', 'avc1', 'isom'],
  iso5: ['iso5', 'iso5', 'iso6', 'mp41'],
  M4V: ['M4V ', 'M4V ', 'mp42', 'isom'],
  M4VH: ['M4VH', 'M4VH', 'M4V ', 'isom'],
  MSNV: ['MSNV', 'MSNV', 'mp42', 'isom'],
  dash: ['dash', 'iso6', 'mp41'],
  f4v: ['f4v ', 'isom', 'mp42'],
  XAVC: ['XAVC', 'XAVC', 'mp42', 'iso2'],
  qt: ['qt  ', 'qt  '],
  'qt with mp42': ['qt  ', 'qt  ', 'mp42'],
  'mp42 with qt': ['mp42', 'mp42', 'qt  '],
  '3gp4 with isom': ['3gp4', 'isom', '3gp4'],
  '3gp5 with mp42': ['3gp5', '3gp5', 'mp42'],
  '3g2a with mp41': ['3g2a', '3g2a', 'mp41'],
  '3gp4 alone': ['3gp4', '3gp4'],
  'unknown with isom': ['abcd', 'abcd', 'isom'],
  none: [],
} as const satisfies Record<string, readonly string[] | null>;
type Brand = keyof typeof BRANDS;
const BRAND_NAMES = Object.keys(BRANDS) as [Brand, ...Brand[]];

const FILLERS = ['none', 'free', 'skip', 'wide', 'pnot', 'uuid', 'udta', 'skip and free', 'free of 70 KB'] as const;
const LAYOUTS = [
  'moov first',
  'moov last',
  'free between',
  'mdat of 64 bits',
  'mdat to the end',
  'two mdat',
  'ftyp last',
] as const;
const TURNS = {
  none: [1, 0, 0, 1],
  '90': [0, 1, -1, 0],
  '180': [-1, 0, 0, -1],
  '270': [0, -1, 1, 0],
  mirrored: [-1, 0, 0, 1],
  'mirrored and 90': [0, 1, 1, 0],
  'twice as large': [2, 0, 0, 2],
  zeros: [0, 0, 0, 0],
} as const;
type Turn = keyof typeof TURNS;
const TURN_NAMES = Object.keys(TURNS) as [Turn, ...Turn[]];
const PIXELS = [
  'square',
  '3:2',
  '2:3',
  '0:0',
  'track header half as large',
  'track header 0×0',
  'clean aperture',
] as const;
const COLOURS = ['as encoded', 'nclx', 'nclx of 18 bytes', 'nclc', 'prof', 'unknown kind'] as const;
const METADATA = ['none', 'cover image', 'place', 'QuickTime keys', 'XMP in a uuid', 'meta at the top'] as const;
const TRACKS = [
  'as encoded',
  'first disabled',
  'second disabled',
  'all disabled',
  'first is not of the movie',
] as const;
const ENTRIES = ['as encoded', 'in-band parameters', 'encrypted', 'two descriptions'] as const;
const ENDINGS = ['whole', 'trailing bytes', 'trailing free box', 'trailing zeros', 'half', 'one byte less'] as const;

export const movies = family({
  name: 'movies',
  share: 520,
  axes: {
    stream: STREAM_NAMES,
    container: ['mp4', 'mov'],
    brand: BRAND_NAMES,
    filler: FILLERS,
    layout: LAYOUTS,
    turn: TURN_NAMES,
    edits: EDITS,
    headers: HEADERS,
    pixels: PIXELS,
    colour: COLOURS,
    metadata: METADATA,
    tracks: TRACKS,
    entry: ENTRIES,
    ending: ENDINGS,
  },
  async make(traits) {
    const { stream, container, ending } = traits;
    const bytes = await movieOf(stream, container);
    if (bytes === null || (traits.tracks !== 'as encoded' && stream !== 'two H.264 tracks')) return null;
    const movie = new Movie(bytes);
    if (!changeTimes(movie, traits.edits, traits.headers)) return null;
    turn(movie, traits.turn);
    changePixels(movie, traits.pixels);
    changeColour(movie, traits.colour);
    if (!changeEntry(movie, traits.entry)) return null;
    changeTracks(movie, traits.tracks);
    await addMetadata(movie, traits.metadata);
    brand(movie, traits.brand);
    lay(movie, traits.layout);
    movie.boxes.unshift(...fillersOf(traits.filler));
    return { ...end(movie.write(), ending, container), ...expectedOf(traits) };
  },
});

function expectedOf({ stream, brand: name, entry, ending }: Judged): { readonly expected?: Expected } {
  const isWhole = ending !== 'half' && ending !== 'one byte less';
  if (entry === 'encrypted' || name === '3gp4 alone') return { expected: isWhole ? 'type' : 'refused' };
  if (!isWhole) return { expected: 'damaged' };
  // Phones use the 3GP brands for H.264, so the service must accept H.264 in such files. For other codecs the oracles
  // decide.
  return name.startsWith('3g') && !stream.startsWith('H.264') ? {} : { expected: 'taken' };
}

interface Judged {
  readonly stream: string;
  readonly brand: Brand;
  readonly entry: (typeof ENTRIES)[number];
  readonly ending: (typeof ENDINGS)[number];
}

function brand(movie: Movie, name: Brand): void {
  const brands = BRANDS[name];
  if (brands === null) return;
  movie.boxes = movie.boxes.filter(({ type }) => type !== 'ftyp');
  const [major, ...compatible] = brands;
  if (major !== undefined)
    movie.boxes.unshift(
      box(
        'ftyp',
        Buffer.concat([Buffer.from(`${major}\0\0\0\0`, 'latin1'), Buffer.from(compatible.join(''), 'latin1')]),
      ),
    );
}

function fillersOf(filler: (typeof FILLERS)[number]): readonly Box[] {
  const zeros = (type: string, length = 24) => box(type, new Uint8Array(length));
  switch (filler) {
    case 'none':
      return [];
    case 'wide':
      return [zeros('wide', 0)];
    case 'pnot':
      return [box('pnot', Buffer.from('\0\0\0\0\0\0PICT\0\x01', 'latin1')), zeros('PICT', 40)];
    case 'uuid':
      return [box('uuid', Buffer.alloc(40, 0x61))];
    case 'skip and free':
      return [zeros('skip'), zeros('free', 8)];
    case 'free of 70 KB':
      return [zeros('free', 70_000)];
    case 'udta':
      return [box('udta', box24('name'))];
    default:
      return [zeros(filler)];
  }
}

/** Returns the bytes of a box whose content is sixteen zeros. */
const box24 = (type: string): Buffer => Buffer.concat([uint32s(24), Buffer.from(type, 'latin1'), Buffer.alloc(16)]);

function lay(movie: Movie, layout: (typeof LAYOUTS)[number]): void {
  const [moov, mdat] = [movie.get('moov'), movie.get('mdat')];
  const others = movie.boxes.filter((each) => each !== moov && each !== mdat && each.type !== 'free');
  switch (layout) {
    case 'moov first':
      movie.boxes = [...others, moov, mdat];
      return;
    case 'moov last':
      movie.boxes = [...others, mdat, moov];
      return;
    case 'free between':
      movie.boxes = [...others, box('free', Buffer.alloc(5000)), moov, box('skip', Buffer.alloc(50)), mdat];
      return;
    case 'mdat of 64 bits':
      mdat.form = 'long';
      movie.boxes = [...others, mdat, moov];
      return;
    case 'mdat to the end':
      mdat.form = 'to the end';
      movie.boxes = [...others, moov, mdat];
      return;
    case 'two mdat':
      movie.boxes = [...others, box('mdat', Buffer.alloc(300)), moov, mdat];
      return;
    case 'ftyp last':
      movie.boxes = [moov, mdat, ...others];
  }
}

/** The matrix and the size in a track's header, version 0 (ISO/IEC 14496-12, section 8.3.2). */
const [MATRIX, TRACK_SIZE] = [40, 76];

function turn(movie: Movie, name: Turn): void {
  if (name === 'none') return;
  const [a, b, c, d] = TURNS[name];
  for (const track of movie.tracks('vide')) {
    const header = contentOf(track, 'tkhd');
    const [width, height] = [header.readUInt32BE(TRACK_SIZE), header.readUInt32BE(TRACK_SIZE + 4)];
    // The translation moves anything left of or above the origin back into view.
    const x = Math.min(0, a) * -width + Math.min(0, c) * -height;
    const y = Math.min(0, b) * -width + Math.min(0, d) * -height;
    const one = 0x10000;
    const matrix = [a * one, b * one, 0, c * one, d * one, 0, x, y, 0x40000000];
    for (const [index, value] of matrix.entries()) header.writeInt32BE(value | 0, MATRIX + 4 * index);
  }
}

/** Length in bytes of a visual sample entry before its boxes (section 12.1.3). */
const DESCRIPTION = 78;

/** Appends boxes to the sample entry of each video track. */
function describe(movie: Movie, ...boxes: readonly Buffer[]): void {
  for (const track of movie.tracks('vide')) {
    const table = below(track, 'mdia', 'minf', 'stbl', 'stsd');
    if (!table?.content) throw new Error('The track has no descriptions.');
    const { content } = table;
    content.writeUInt32BE(content.readUInt32BE(8) + boxes.reduce((sum, each) => sum + each.length, 0), 8);
    table.content = Buffer.concat([content, ...boxes]);
  }
}

const bytesOf = (type: string, content: Uint8Array): Buffer =>
  Buffer.concat([uint32s(8 + content.length), Buffer.from(type, 'latin1'), content]);

/** Removes a box from the sample entry of each video track. */
function undescribe(movie: Movie, type: string): void {
  for (const track of movie.tracks('vide')) {
    const table = below(track, 'mdia', 'minf', 'stbl', 'stsd');
    if (!table?.content) continue;
    const at = table.content.indexOf(type, 8 + 8 + DESCRIPTION, 'latin1') - 4;
    if (at < 0) continue;
    const length = table.content.readUInt32BE(at);
    table.content.writeUInt32BE(table.content.readUInt32BE(8) - length, 8);
    table.content = Buffer.concat([table.content.subarray(0, at), table.content.subarray(at + length)]);
  }
}

function changePixels(movie: Movie, pixels: (typeof PIXELS)[number]): void {
  const ratios = { '3:2': [3, 2], '2:3': [2, 3], '0:0': [0, 0] } as const;
  switch (pixels) {
    case 'square':
      return;
    case 'clean aperture':
      describe(movie, bytesOf('clap', uint32s(100, 1, 60, 1, 0, 1, 0, 1)));
      return;
    case 'track header half as large':
    case 'track header 0×0':
      for (const track of movie.tracks('vide')) {
        const header = contentOf(track, 'tkhd');
        for (const at of [TRACK_SIZE, TRACK_SIZE + 4])
          header.writeUInt32BE(pixels === 'track header 0×0' ? 0 : header.readUInt32BE(at) >>> 1, at);
      }
      return;
    default:
      undescribe(movie, 'pasp');
      describe(movie, bytesOf('pasp', uint32s(...ratios[pixels])));
  }
}

function changeColour(movie: Movie, colour: (typeof COLOURS)[number]): void {
  if (colour === 'as encoded') return;
  undescribe(movie, 'colr');
  // The streams are encoded with the primaries, the transfer curve and the matrix of SMPTE 170M (BT.601).
  const numbers = Buffer.from([0, 6, 0, 6, 0, 6]);
  const contents = {
    nclx: [Buffer.from('nclx'), numbers, Buffer.from([0])],
    'nclx of 18 bytes': [Buffer.from('nclx'), numbers],
    nclc: [Buffer.from('nclc'), numbers],
    prof: [Buffer.from('prof'), Buffer.alloc(20)],
    'unknown kind': [Buffer.from('abcd'), Buffer.alloc(7)],
  } as const;
  describe(movie, bytesOf('colr', Buffer.concat([...contents[colour]])));
}

const [ENABLED, IN_MOVIE] = [1, 2];

function changeTracks(movie: Movie, tracks: (typeof TRACKS)[number]): void {
  const flags = {
    'as encoded': null,
    'first disabled': [IN_MOVIE, ENABLED | IN_MOVIE],
    'second disabled': [ENABLED | IN_MOVIE, IN_MOVIE],
    'all disabled': [IN_MOVIE, IN_MOVIE],
    'first is not of the movie': [0, ENABLED | IN_MOVIE],
  } as const;
  for (const [index, track] of movie.tracks('vide').entries()) {
    const flag = flags[tracks]?.[index];
    if (flag !== undefined) contentOf(track, 'tkhd').writeUInt8(flag, 3);
  }
}

/**
 * Changes an entry.
 *
 * @returns false if the stream can't have such an entry
 */
function changeEntry(movie: Movie, entry: (typeof ENTRIES)[number]): boolean {
  if (entry === 'as encoded') return true;
  const [track] = movie.tracks('vide');
  const table = track && below(track, 'mdia', 'minf', 'stbl', 'stsd');
  if (table?.content?.toString('latin1', 12, 16) !== 'avc1') return false;
  if (entry === 'in-band parameters') table.content.write('avc3', 12, 'latin1');
  else if (entry === 'two descriptions') {
    const description = table.content.subarray(8);
    table.content = Buffer.concat([uint32s(0, 2), description, description]);
  } else {
    table.content.write('encv', 12, 'latin1');
    describe(
      movie,
      bytesOf(
        'sinf',
        Buffer.concat([
          bytesOf('frma', Buffer.from('avc1')),
          bytesOf('schm', Buffer.from('\0\0\0\0cenc\0\x01\0\0', 'latin1')),
          bytesOf('schi', bytesOf('tenc', Buffer.concat([uint32s(0, 0x108), Buffer.alloc(16, 7)]))),
        ]),
      ),
    );
  }
  return true;
}

async function addMetadata(movie: Movie, metadata: (typeof METADATA)[number]): Promise<void> {
  const { children } = movie.get('moov');
  const handler = (type: string) =>
    bytesOf('hdlr', Buffer.concat([uint32s(0, 0), Buffer.from(type), Buffer.alloc(13)]));
  const meta = (...contents: readonly Buffer[]) => bytesOf('meta', Buffer.concat([uint32s(0), ...contents]));
  switch (metadata) {
    case 'none':
      return;
    case 'cover image': {
      const image = await still({ width: 32, height: 32 }, OTHERS).jpeg().toBuffer();
      const data = bytesOf('data', Buffer.concat([uint32s(13, 0), image]));
      children.push(box('udta', meta(handler('mdir'), bytesOf('ilst', bytesOf('covr', data)))));
      return;
    }
    case 'place':
      children.push(box('udta', bytesOf('\xa9xyz', Buffer.from('\0\x12\x15\xc7+48.8577+002.2950/', 'latin1'))));
      return;
    case 'QuickTime keys': {
      const key = Buffer.from('com.apple.quicktime.make');
      const keys = bytesOf('keys', Buffer.concat([uint32s(0, 1, 8 + key.length), Buffer.from('mdta'), key]));
      const value = bytesOf('data', Buffer.concat([uint32s(1, 0), Buffer.from('Apple')]));
      const item = Buffer.concat([uint32s(8 + value.length, 1), value]);
      // In QuickTime files, unlike in MP4, the `meta` box has no version before its content.
      children.push(box('meta', Buffer.concat([handler('mdta'), keys, bytesOf('ilst', item)])));
      return;
    }
    case 'XMP in a uuid': {
      const id = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
      movie.boxes.push(box('uuid', Buffer.concat([id, Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')])));
      return;
    }
    case 'meta at the top':
      movie.boxes.push(
        box('meta', Buffer.concat([uint32s(0), handler('mp7t'), bytesOf('xml ', Buffer.from('\0\0\0\0<a/>\0'))])),
      );
  }
}

function end(movie: Uint8Array, ending: (typeof ENDINGS)[number], extension: string): Made {
  const bytes = {
    whole: () => movie,
    'trailing bytes': () => Buffer.concat([movie, Buffer.alloc(3000, 0x5a)]),
    'trailing free box': () => Buffer.concat([movie, bytesOf('free', Buffer.alloc(400))]),
    'trailing zeros': () => Buffer.concat([movie, Buffer.alloc(12)]),
    half: () => movie.subarray(0, movie.length >> 1),
    'one byte less': () => movie.subarray(0, -1),
  }[ending]();
  return { bytes, extension };
}
