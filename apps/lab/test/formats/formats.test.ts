import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@postshelf/harness';
import { classesOf, describeClass } from '../../src/formats/classes.ts';
import { chooseTraits } from '../../src/formats/family.ts';
import { fingerprintOf, looksLike } from '../../src/formats/fingerprint.ts';
import { type Disagreement, judge } from '../../src/formats/judge.ts';
import type { View } from '../../src/formats/oracles/view.ts';
import { OTHERS, pixelsOf, QUARTERS } from '../../src/formats/parts/quarters.ts';
import type { Item } from '../../src/formats/service.ts';
import { FAMILIES, makeSpecimens, type Specimen } from '../../src/formats/specimen.ts';

const SIZE = { width: 96, height: 64 };
const FINGERPRINT = fingerprintOf(pixelsOf(SIZE), SIZE.width, SIZE.height, 3);

const specimen = (name: string, traits: Specimen['traits'] = {}): Specimen => ({
  name,
  path: `/nowhere/${name}`,
  size: 1,
  family: 'jpeg',
  traits,
});

const ITEM: Item = {
  type: 'image/jpeg',
  ...SIZE,
  isConverted: false,
  original: async () => new Uint8Array(),
  time: null,
  seconds: null,
  preview: { ...SIZE, fingerprint: FINGERPRINT },
  cover: null,
};

const VIEW: View = { shows: true, type: 'image/jpeg', ...SIZE, fingerprint: FINGERPRINT };

const propertiesOf = (found: readonly Disagreement[]) => found.map(({ property }) => property);

describe('the choice of files', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postshelf-formats-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('has at least 1,500 files in a full run', () => {
    expect(FAMILIES.reduce((sum, { share }) => sum + share, 0)).toBeGreaterThanOrEqual(1500);
  });

  test('varies one trait of a family at a time before it combines several', () => {
    for (const family of FAMILIES) {
      const alone = Object.values(family.axes).reduce((sum, traits) => sum + traits.length - 1, 1);
      const endless = chooseTraits(family, new Random(1));
      const chosen = Array.from({ length: alone }, () => endless.next().value ?? {});
      const ordinary = Object.fromEntries(Object.entries(family.axes).map(([axis, [first]]) => [axis, first]));
      const changes = chosen.map((traits) =>
        Object.entries(traits).filter(([axis, trait]) => ordinary[axis] !== trait),
      );
      expect(changes.map(({ length }) => length)).toEqual([0, ...Array<number>(alone - 1).fill(1)]);
    }
  });

  test('yields the same files for the same seed', async () => {
    const make = async (name: string) => {
      const choice = { seed: 7, only: ['jpeg', 'png', 'gif', 'webp'], part: 0.2, having: [] };
      const made = await makeSpecimens(join(folder, name), choice);
      return Promise.all(made.map(async ({ path }) => Bun.hash(await Bun.file(path).bytes())));
    };
    expect(await make('first')).toEqual(await make('second'));
  });
});

describe('the judge', () => {
  test('reports nothing if the service agrees with the oracles', () => {
    const views = new Map([
      ['libvips', VIEW],
      ['Chromium', VIEW],
    ]);
    expect(judge(specimen('a'), ITEM, views)).toEqual([]);
  });

  test('reports a wrong type, size and preview', () => {
    const item: Item = {
      ...ITEM,
      type: 'image/png',
      width: 64,
      height: 96,
      preview: {
        width: 64,
        height: 96,
        fingerprint: fingerprintOf(pixelsOf(SIZE, OTHERS), SIZE.width, SIZE.height, 3),
      },
    };
    expect(propertiesOf(judge(specimen('a'), item, new Map([['libvips', VIEW]])))).toEqual(['type', 'size', 'preview']);
  });

  test('reports a preview that is missing or out of proportion', () => {
    const views = new Map([['libvips', VIEW]]);
    expect(propertiesOf(judge(specimen('a'), { ...ITEM, preview: 'its link answered 404' }, views))).toEqual([
      'preview',
    ]);
    const stretched = { width: 96, height: 96, fingerprint: FINGERPRINT };
    expect(propertiesOf(judge(specimen('a'), { ...ITEM, preview: stretched }, views))).toEqual(['shape']);
  });

  test('reports a duration that is two frames too long', () => {
    const item: Item = { ...ITEM, type: 'video/mp4', time: 60, seconds: 60.08, cover: ITEM.preview };
    const view: View = { ...VIEW, type: 'video/mp4', seconds: 60 };
    expect(propertiesOf(judge(specimen('a'), item, new Map([['ffprobe', view]])))).toEqual(['duration']);
  });

  test('believes Chromium if other programs disagree with it', () => {
    const views = new Map([
      ['libvips', { ...VIEW, width: 64, height: 96 }],
      ['Chromium', VIEW],
    ]);
    expect(judge(specimen('a'), ITEM, views)).toEqual([]);
  });

  test('reports a rejected file that a program shows, and an accepted file that no program shows', () => {
    const refused = { refused: 'The file is damaged.' };
    expect(propertiesOf(judge(specimen('a'), refused, new Map([['Chromium', VIEW]])))).toEqual(['acceptance']);
    const hidden = new Map([['Chromium', { shows: false }]]);
    expect(judge(specimen('a'), refused, hidden)).toEqual([]);
    expect(propertiesOf(judge(specimen('a'), ITEM, hidden))).toEqual(['acceptance']);
  });

  test('distinguishes BT.709 red from red decoded as BT.601', () => {
    const [red, green, blue] = [fingerprintOf(Uint8Array.of(254, 0, 0), 1, 1, 3), [233, 0, 2], QUARTERS[0]];
    expect(looksLike(red, fingerprintOf(Uint8Array.from(green), 1, 1, 3))).toBe(false);
    expect(looksLike(red, fingerprintOf(Uint8Array.of(252, 2, 1), 1, 1, 3))).toBe(true);
    expect(looksLike(red, fingerprintOf(Uint8Array.from(blue), 1, 1, 3))).toBe(false);
  });
});

describe('classification', () => {
  test('disagreements that share a trait form one class, with the simplest file as its example', () => {
    const right = specimen('right', { order: 'little' });
    const wrong = [
      specimen('b', { field: 'LONG', order: 'little' }),
      specimen('a', { field: 'LONG' }),
      specimen('c', { field: 'LONG', size: '1×1' }),
    ];
    const found = wrong.flatMap((one) =>
      judge(one, { ...ITEM, width: 1 }, new Map([['libvips', { shows: true, ...SIZE }]])),
    );
    const sizes = found.filter(({ property }) => property === 'size');
    const classes = classesOf(sizes, [right, ...wrong]);
    expect(classes.map(({ key, count }) => [key, count])).toEqual([['jpeg: size; field=LONG', 3]]);
    const [first] = classes;
    expect(first && describeClass(first)).toBe(
      'jpeg: size; field=LONG\n  3 files, for example a: field=LONG\n    service: 1 × 64\n    libvips: 96 × 64',
    );
  });
});
