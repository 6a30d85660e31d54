type Xyz = readonly [x: number, y: number, z: number];

interface Space {
  readonly name: string;
  /** Red, green and blue, adapted to D50. */
  readonly primaries: readonly [Xyz, Xyz, Xyz];
  readonly gamma: number;
}

const SRGB: Space = {
  name: 'Like sRGB',
  primaries: [
    [0.43607, 0.22249, 0.01392],
    [0.38515, 0.71687, 0.09708],
    [0.14307, 0.06061, 0.7141],
  ],
  gamma: 2.2,
};

const SPACES = {
  sRGB: SRGB,
  'Display P3': {
    name: 'Like Display P3',
    primaries: [
      [0.51512, 0.2412, -0.00105],
      [0.29198, 0.69225, 0.04189],
      [0.1571, 0.06657, 0.78407],
    ],
    gamma: 2.2,
  },
  'Adobe RGB': {
    name: 'Like Adobe RGB',
    primaries: [
      [0.60974, 0.31111, 0.01947],
      [0.20528, 0.62567, 0.06087],
      [0.14919, 0.06322, 0.74457],
    ],
    gamma: 2.19921875,
  },
  /** Exchanges red and green, so that a program that ignores the profile shows the wrong colour. */
  swapped: {
    name: 'Green, red, blue',
    primaries: [SRGB.primaries[1], SRGB.primaries[0], SRGB.primaries[2]],
    gamma: 2.2,
  },
  linear: { ...SRGB, name: 'Linear light', gamma: 1 },
} as const satisfies Record<string, Space>;

export type SpaceName = keyof typeof SPACES;

/** Returns a display profile that consists of a matrix and a gamma (ICC.1:2001-04, section 6.3.1.2). */
export function rgbProfile(name: SpaceName): Uint8Array {
  const { primaries, gamma, name: text } = SPACES[name];
  const [red, green, blue] = primaries;
  const curve = curveOf(gamma);
  return profile('RGB ', [
    ['desc', description(text)],
    ['cprt', copyright()],
    ['wtpt', xyz([0.9642, 1, 0.8249])],
    ['rXYZ', xyz(red)],
    ['gXYZ', xyz(green)],
    ['bXYZ', xyz(blue)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ]);
}

/** Returns a grey profile for linear light (section 6.3.1.1). A program that applies it makes every grey brighter. */
export const greyProfile = (): Uint8Array =>
  profile('GRAY', [
    ['desc', description('Linear grey')],
    ['cprt', copyright()],
    ['wtpt', xyz([0.9642, 1, 0.8249])],
    ['kTRC', curveOf(1)],
  ]);

const HEADER_LENGTH = 128;

function profile(space: 'RGB ' | 'GRAY', tags: readonly (readonly [name: string, content: Buffer])[]): Uint8Array {
  const table = Buffer.alloc(4 + 12 * tags.length);
  table.writeUInt32BE(tags.length);
  let at = HEADER_LENGTH + table.length;
  for (const [index, [name, content]] of tags.entries()) {
    table.write(name, 4 + 12 * index, 'latin1');
    table.writeUInt32BE(at, 8 + 12 * index);
    table.writeUInt32BE(content.length, 12 + 12 * index);
    at += content.length;
  }
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt32BE(at, 0);
  header.writeUInt32BE(0x02100000, 8);
  header.write(`mntr${space}XYZ `, 12, 'latin1');
  header.writeUInt16BE(2026, 24);
  header.writeUInt16BE(1, 26);
  header.writeUInt16BE(1, 28);
  header.write('acsp', 36, 'latin1');
  for (const [index, value] of [0.9642, 1, 0.8249].entries()) header.writeInt32BE(fixed(value), 68 + 4 * index);
  return Buffer.concat([header, table, ...tags.map(([, content]) => content)]);
}

const fixed = (value: number): number => Math.round(value * 0x10000);

function xyz([x, y, z]: Xyz): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.write('XYZ ', 'latin1');
  for (const [index, value] of [x, y, z].entries()) bytes.writeInt32BE(fixed(value), 8 + 4 * index);
  return bytes;
}

function curveOf(gamma: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.write('curv', 'latin1');
  bytes.writeUInt32BE(1, 8);
  bytes.writeUInt16BE(Math.round(gamma * 256), 12);
  return bytes;
}

function description(text: string): Buffer {
  const bytes = Buffer.alloc(4 * Math.ceil((12 + text.length + 1 + 78) / 4));
  bytes.write('desc', 'latin1');
  bytes.writeUInt32BE(text.length + 1, 8);
  bytes.write(text, 12, 'latin1');
  return bytes;
}

const copyright = (): Buffer => Buffer.from('text\0\0\0\0none\0\0\0\0', 'latin1');
