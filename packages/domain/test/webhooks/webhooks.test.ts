import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  DEFAULT_WEBHOOK_RETRY_DELAYS,
  EVENT_TYPES,
  ROTATION_OVERLAP,
  retryAt,
  signingSecrets,
  typesOf,
} from '../../src/index.ts';

const NOW = Date.UTC(2026, 0, 2);
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

describe('retryAt', () => {
  test('waits between 5 s and 24 h by default, and gives up after the tenth attempt', () => {
    const waits = Array.from({ length: 12 }, (_, tries) => retryAt(DEFAULT_WEBHOOK_RETRY_DELAYS, tries + 1, NOW, 0));
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

  test('waits for the given delay and up to a fifth more', () => {
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

  test('returns one secret without a rotation', () => {
    expect(signingSecrets({ current, previous: null, previousUntil: null }, NOW)).toEqual([current]);
  });

  test('returns both secrets for a day after a rotation, newest first', () => {
    expect(ROTATION_OVERLAP).toBe(24 * HOUR);
    const kept = { current, previous, previousUntil: NOW + ROTATION_OVERLAP };
    expect(signingSecrets(kept, NOW)).toEqual([current, previous]);
    expect(signingSecrets(kept, NOW + ROTATION_OVERLAP - 1)).toEqual([current, previous]);
    expect(signingSecrets(kept, NOW + ROTATION_OVERLAP)).toEqual([current]);
  });
});

test('a webhook without event types receives all of them', () => {
  expect(typesOf({ types: null })).toEqual(EVENT_TYPES);
  expect(typesOf({ types: ['media.active'] })).toEqual(['media.active']);
});
