import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  DEFAULT_RETRY_DELAYS,
  EVENT_TYPES,
  ROTATION_OVERLAP,
  retryAt,
  signingSecrets,
  typesOf,
} from '../../src/index.ts';

const NOW = Date.UTC(2026, 0, 2);
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

describe('retryAt', () => {
  test('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h by default, and gives up after the tenth try', () => {
    const waits = Array.from({ length: 12 }, (_, tries) => retryAt(DEFAULT_RETRY_DELAYS, tries + 1, NOW, 0));
    expect(waits.map((at) => at && at - NOW)).toEqual([
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
      null,
      null,
      null,
    ]);
  });

  test('waits as long as it says, and up to a fifth more', () => {
    const delays = fc.array(fc.integer({ min: 0, max: 999_999_999 }), { maxLength: 12 });
    fc.assert(
      fc.property(
        delays,
        fc.integer({ min: 1, max: 15 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (all, tries, random) => {
          const at = retryAt(all, tries, NOW, random);
          const delay = all[tries - 1];
          if (delay === undefined) return expect(at).toBe(null);
          expect(Number.isInteger(at)).toBe(true);
          expect(at).toBeWithin(NOW + delay, NOW + Math.round(delay * 1.2) + 1);
        },
      ),
    );
  });
});

describe('signingSecrets', () => {
  const [current, previous] = [Uint8Array.of(1), Uint8Array.of(2)];

  test('is one without a rotation', () => {
    expect(signingSecrets({ current, previous: null, previousUntil: null }, NOW)).toEqual([current]);
  });

  test('is both for a day, newest first', () => {
    expect(ROTATION_OVERLAP).toBe(24 * HOUR);
    const kept = { current, previous, previousUntil: NOW + ROTATION_OVERLAP };
    expect(signingSecrets(kept, NOW)).toEqual([current, previous]);
    expect(signingSecrets(kept, NOW + ROTATION_OVERLAP - 1)).toEqual([current, previous]);
    expect(signingSecrets(kept, NOW + ROTATION_OVERLAP)).toEqual([current]);
  });
});

test('a webhook without types is told all of them', () => {
  expect(typesOf({ types: null })).toEqual(EVENT_TYPES);
  expect(typesOf({ types: ['media.active'] })).toEqual(['media.active']);
});
