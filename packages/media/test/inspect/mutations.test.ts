import { describe, expect, test } from 'bun:test';
import { isMediaType } from '@postshelf/domain';
import { FIXTURE_NAMES, fixture, sourceOf } from '@postshelf/testing/fixtures';
import { createMediaInspector } from '../../src/index.ts';
import { mulberry32 } from '../support/random.ts';
import { counted, READ_BUDGET } from '../support/sources.ts';

const PER_FIXTURE = 400;
/** Far more than it takes, for machines that are busy with much else. */
const TIMEOUT_MS = 60_000;
const MAX_GROWTH = 128 * 1024 * 1024;

const EXTREMES = [0, 1, 0x7f, 0x80, 0xff];

/** The bytes with some of them changed, cut, doubled or moved; mostly near the start, where the headers are. */
function mutate(original: Uint8Array, random: () => number): Uint8Array {
  let bytes = Buffer.from(original);
  const below = (limit: number) => Math.floor(random() * limit);
  const place = () => (random() < 0.7 ? below(Math.min(bytes.length, 1000)) : below(bytes.length));
  for (let step = 0; step <= below(6); step += 1) {
    const at = place();
    const length = 1 + below(8);
    switch (below(6)) {
      case 0:
        bytes[at] = below(256);
        break;
      case 1:
        bytes.subarray(at, at + length).fill(EXTREMES[below(EXTREMES.length)] ?? 0);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at + length * 16), bytes.subarray(at)]);
        break;
      case 4:
        bytes.copy(bytes, place(), at, at + length * 4);
        break;
      default:
        if (random() < 0.2) bytes = bytes.subarray(0, at + 1);
    }
  }
  return bytes;
}

describe('of mutated files', () => {
  const inspector = createMediaInspector();

  test.each([...FIXTURE_NAMES])(
    '%s gets an answer, a plausible one',
    async (name) => {
      const original = await (await fixture(name)).bytes();
      const random = mulberry32(FIXTURE_NAMES.indexOf(name) + 1);
      Bun.gc(true);
      const before = process.memoryUsage.rss();
      for (let round = 0; round < PER_FIXTURE; round += 1) {
        const { source, bytes } = counted(sourceOf(mutate(original, random)));
        const facts = await inspector.inspect(source);
        expect(bytes()).toBeLessThan(READ_BUDGET);
        if (facts === null) continue;
        expect(isMediaType(facts.type)).toBe(true);
        for (const side of [facts.width, facts.height]) {
          expect(Number.isInteger(side) && side >= 1 && side <= 65_535).toBe(true);
        }
        expect(facts.time === null).toBe(facts.type.startsWith('image/'));
        if (facts.time !== null) expect(Number.isInteger(facts.time) && facts.time >= 1).toBe(true);
      }
      Bun.gc(true);
      expect(process.memoryUsage.rss() - before).toBeLessThan(MAX_GROWTH);
    },
    TIMEOUT_MS,
  );
});
