/** Chromaticity coordinates in CIE 1931. */
type Chromaticity = readonly [x: number, y: number];

/** White, red, green and blue. */
export type Chromaticities = readonly [Chromaticity, Chromaticity, Chromaticity, Chromaticity];

export const BT709: Chromaticities = [
  [0.3127, 0.329],
  [0.64, 0.33],
  [0.3, 0.6],
  [0.15, 0.06],
];

/**
 * The mapping of samples to light: a power function, the curve of a standard, or the content of a profile's curve tag.
 */
export type Curve = { readonly gamma: number } | 'sRGB' | 'BT.709' | Uint8Array;

/** Colour primaries by their numbers (ITU-T H.273, table 2). */
export const PRIMARIES: Readonly<Record<number, Chromaticities>> = {
  1: BT709,
  9: [
    [0.3127, 0.329],
    [0.708, 0.292],
    [0.17, 0.797],
    [0.131, 0.046],
  ],
  12: [
    [0.3127, 0.329],
    [0.68, 0.32],
    [0.265, 0.69],
    [0.15, 0.06],
  ],
};

/** Curves by their numbers (ITU-T H.273, table 3). The curves of HDR have no equivalent in profiles. */
export const CURVES: Readonly<Record<number, Curve>> = {
  1: 'BT.709',
  4: { gamma: 2.2 },
  5: { gamma: 2.8 },
  6: 'BT.709',
  8: { gamma: 1 },
  13: 'sRGB',
  14: 'BT.709',
  15: 'BT.709',
};

export type Vector = readonly [number, number, number];
export type Matrix = readonly [Vector, Vector, Vector];

/** The white point of profiles (ICC.1:2022, section 7.2.16). */
const D50: Vector = [0.9642, 1, 0.8249];

/** Bradford's cone responses, with which colours are adapted to another white (ICC.1:2022, annex E). */
const CONES: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/**
 * Returns the XYZ colours of full red, green and blue, adapted to D50, the white point of profiles. Returns null for
 * primaries that span no colour space.
 */
export function columnsOf([white, ...primaries]: Chromaticities): Matrix | null {
  const [red, green, blue] = primaries.map(xyzOf) as unknown as Matrix;
  const mix = transpose([red, green, blue]);
  const inverse = invert(mix);
  const adaptation = adaptationFrom(xyzOf(white));
  if (inverse === null || adaptation === null) return null;
  const strengths = apply(inverse, xyzOf(white));
  const columns = [red, green, blue].map((colour, index) =>
    apply(adaptation, colour.map((value) => value * (strengths[index] ?? 0)) as unknown as Vector),
  );
  return columns.flat().every(Number.isFinite) ? (columns as unknown as Matrix) : null;
}

/** Returns a display profile (ICC.1:2001-04, section 6.3.1.2); null for primaries that span no colour space. */
export function displayProfile(space: Chromaticities, curve: Curve): Uint8Array | null {
  const columns = columnsOf(space);
  if (columns === null) return null;
  const [first, second, third] = columns;
  const tag = curveTag(curve);
  return profile([
    ['desc', description()],
    ['cprt', Buffer.from('text\0\0\0\0none\0\0\0\0', 'latin1')],
    ['wtpt', xyzTag(D50)],
    ['rXYZ', xyzTag(first)],
    ['gXYZ', xyzTag(second)],
    ['bXYZ', xyzTag(third)],
    ['rTRC', tag],
    ['gTRC', tag],
    ['bTRC', tag],
  ]);
}

const xyzOf = ([x, y]: Chromaticity): Vector => [x / y, 1, (1 - x - y) / y];

function adaptationFrom(white: Vector): Matrix | null {
  const back = invert(CONES);
  if (back === null) return null;
  const [from, to] = [apply(CONES, white), apply(CONES, D50)];
  const scaled = CONES.map((row, index) => row.map((value) => (value * (to[index] ?? 0)) / (from[index] ?? 1)));
  const columns = transpose(scaled as unknown as Matrix).map((column) => apply(back, column));
  return transpose(columns as unknown as Matrix);
}

export const apply = (matrix: Matrix, [x, y, z]: Vector): Vector =>
  matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Vector;

export const transpose = ([a, b, c]: Matrix): Matrix => [
  [a[0], b[0], c[0]],
  [a[1], b[1], c[1]],
  [a[2], b[2], c[2]],
];

export function invert([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix | null {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  if (Math.abs(determinant) < 1e-9 || !Number.isFinite(determinant)) return null;
  const cofactors: Matrix = [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ];
  return cofactors.map((row) => row.map((value) => value / determinant)) as unknown as Matrix;
}

/** Parameters of `para`, type 3: a power above a threshold, a line below (ICC.1:2022, section 10.18). */
const PARAMETERS = {
  sRGB: [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045],
  'BT.709': [1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081],
} as const;

function curveTag(curve: Curve): Buffer {
  if (curve instanceof Uint8Array) return Buffer.from(curve);
  const parameters = typeof curve === 'string' ? PARAMETERS[curve] : [curve.gamma];
  const bytes = Buffer.alloc(12 + 4 * parameters.length);
  bytes.write('para', 'latin1');
  bytes.writeUInt16BE(typeof curve === 'string' ? 3 : 0, 8);
  for (const [index, value] of parameters.entries()) bytes.writeInt32BE(fixed(value), 12 + 4 * index);
  return bytes;
}

/** Encodes a number with 16 bits before the point and 16 after it. */
const fixed = (value: number): number => Math.max(-0x80000000, Math.min(0x7fffffff, Math.round(value * 0x10000)));

function xyzTag(colour: Vector): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.write('XYZ ', 'latin1');
  for (const [index, value] of colour.entries()) bytes.writeInt32BE(fixed(value), 8 + 4 * index);
  return bytes;
}

function description(): Buffer {
  const text = 'As the image says';
  const bytes = Buffer.alloc(4 * Math.ceil((12 + text.length + 1 + 78) / 4));
  bytes.write('desc', 'latin1');
  bytes.writeUInt32BE(text.length + 1, 8);
  bytes.write(text, 12, 'latin1');
  return bytes;
}

const HEADER_LENGTH = 128;

function profile(tags: readonly (readonly [name: string, content: Buffer])[]): Uint8Array {
  const table = Buffer.alloc(4 + 12 * tags.length);
  table.writeUInt32BE(tags.length);
  const contents = tags.map(([, content]) => Buffer.concat([content, Buffer.alloc(-content.length & 3)]));
  let at = HEADER_LENGTH + table.length;
  for (const [index, [name, content]] of tags.entries()) {
    table.write(name, 4 + 12 * index, 'latin1');
    table.writeUInt32BE(at, 8 + 12 * index);
    table.writeUInt32BE(content.length, 12 + 12 * index);
    at += contents[index]?.length ?? 0;
  }
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt32BE(at, 0);
  header.writeUInt32BE(0x04300000, 8);
  header.write('mntrRGB XYZ ', 12, 'latin1');
  header.writeUInt16BE(2026, 24);
  header.writeUInt16BE(1, 26);
  header.writeUInt16BE(1, 28);
  header.write('acsp', 36, 'latin1');
  for (const [index, value] of D50.entries()) header.writeInt32BE(fixed(value), 68 + 4 * index);
  return Buffer.concat([header, table, ...contents]);
}

/**
 * Returns an RGB display profile whose channels all have the grey profile's curve, because grey images are decoded to
 * RGB. Returns null if the given profile isn't a grey one.
 *
 * @throws RangeError if the profile is damaged
 */
export function profileOfGrey(grey: Buffer): Uint8Array | null {
  if (grey.toString('latin1', 16, 20) !== 'GRAY') return null;
  const tags = Math.min(grey.readUInt32BE(HEADER_LENGTH), 100);
  for (let tag = HEADER_LENGTH + 4; tag < HEADER_LENGTH + 4 + 12 * tags; tag += 12) {
    if (grey.toString('latin1', tag, tag + 4) !== 'kTRC') continue;
    const [start, length] = [grey.readUInt32BE(tag + 4), grey.readUInt32BE(tag + 8)];
    if (length >= 12 && start + length <= grey.length)
      return displayProfile(BT709, grey.subarray(start, start + length));
  }
  return null;
}
