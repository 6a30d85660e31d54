import { type Clock, type Ids, parseUuid } from '@postshelf/domain';
import { fakeClock } from './fake-clock.ts';

/** Version 7 and variant 10 (RFC 9562 section 5.7), with all random bits 0. */
const VERSION_AND_VARIANT = '7000-8000';

/**
 * Returns the same identifiers in every run: `019bc186-de00-7000-8000-000000000001` and so on. These are valid UUIDv7s
 * with the clock's time, but with a counter instead of random bits. All generators return the same identifiers.
 */
export function sequentialIds(clock: Clock = fakeClock()): Ids {
  let latest = 0;
  let count = 0;
  return {
    next() {
      latest = Math.max(latest, clock.now());
      count += 1;
      const time = latest.toString(16).padStart(12, '0');
      const id = `${time.slice(0, 8)}-${time.slice(8)}-${VERSION_AND_VARIANT}-${count.toString(16).padStart(12, '0')}`;
      const uuid = parseUuid(id);
      if (uuid === null) throw new RangeError(`The clock's time does not fit in a UUIDv7: ${latest}`);
      return uuid;
    },
  };
}
