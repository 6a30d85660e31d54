import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { TransferRate } from '../../src/index.ts';

const WINDOW = 10_000;

describe('the rate of a transfer', () => {
  test('is not judged before a full window of waiting time', () => {
    const rate = new TransferRate(WINDOW);
    rate.add(WINDOW - 1, 0);
    expect(rate.isBelow(1)).toBe(false);
    rate.add(1, 0);
    expect(rate.isBelow(1)).toBe(true);
  });

  test('is measured over the last window, whatever it was before', () => {
    const rate = new TransferRate(WINDOW);
    rate.add(5_000, 1_000_000);
    rate.add(5_000, 1);
    expect(rate.isBelow(100)).toBe(false);
    rate.add(5_000, 1);
    expect(rate.isBelow(100)).toBe(true);
  });

  test('is measured over waiting time only, so bytes that arrive without waiting raise it', () => {
    const rate = new TransferRate(WINDOW);
    for (let chunk = 0; chunk < 1_000; chunk += 1) rate.add(0, 10);
    rate.add(WINDOW, 0);
    expect(rate.isBelow(1_000)).toBe(false);
    expect(rate.isBelow(1_001)).toBe(true);
  });

  test('is below the limit exactly for slower senders, however the bytes are chunked', () => {
    const waits = fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(waits, fc.constantFrom(0.9, 1), (gaps, speed) => {
        const rate = new TransferRate(WINDOW);
        let waited = 0;
        for (const gap of gaps) {
          // At full speed, this is exactly the limit of 1,000 bytes per second, because gaps are in milliseconds.
          rate.add(gap, gap * speed);
          waited += gap;
          expect(rate.isBelow(1_000)).toBe(speed < 1 && waited >= WINDOW);
        }
      }),
    );
  });
});
