import { expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sized } from '@postshelf/harness';
import { testsThatNeed } from '@postshelf/testing/programs';
import { classesOf, describeClass } from '../../src/formats/classes.ts';
import { compareAll } from '../../src/formats/run.ts';
import { FAMILIES, makeSpecimens } from '../../src/formats/specimen.ts';

const { test } = testsThatNeed(['ffmpeg'], 'files of all kinds, compared with other programs');

/**
 * The fraction of the files of `npm run formats` that this test makes: the ordinary file of each family and, in the long
 * form, a few files that differ from it in a single trait.
 */
const PART = sized(0.004, 0.01);

test('the service agrees with other programs about a sample of generated files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-formats-'));
  try {
    const only = FAMILIES.map(({ name }) => name);
    const specimens = await makeSpecimens(folder, { seed: 1, only, part: PART, having: [] });
    expect(specimens.length).toBeGreaterThanOrEqual(sized(FAMILIES.length, 20));
    const outcome = await compareAll(specimens, { seed: 1, videos: 0, hasBrowser: false, progress: () => undefined });
    expect(classesOf(outcome.disagreements, specimens).map(describeClass)).toEqual([]);
    expect(outcome.accepted).toBeGreaterThan(sized(10, 15));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
