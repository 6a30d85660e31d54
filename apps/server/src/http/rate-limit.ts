import type { RateState, RequestLimits } from '@postshelf/api';
import { CALENDAR_READS_PER_MINUTE, type Uuid } from '@postshelf/domain';
import { once } from '../compose/once.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The length of a window in seconds. A window begins with a token's first operation. */
const WINDOW = 60;

export interface RateLimit {
  count(token: Uuid): Promise<RateState>;
  look(token: Uuid): Promise<RateState>;
}

/**
 * Creates the rate limit. It counts only operations with valid tokens, so that unauthenticated clients can't make it
 * use more and more memory.
 *
 * @param perMinute the maximum operations per minute of a token; 0 for no limit
 * @returns null if there is no limit
 */
export async function createRateLimit(perMinute: number): Promise<RateLimit | null> {
  return perMinute === 0 ? null : countPerMinute(perMinute);
}

async function countPerMinute(perMinute: number): Promise<RateLimit> {
  // `rate-limiter-flexible` is loaded only when needed, because it includes adapters for many stores.
  const { RateLimiterMemory, RateLimiterRes } = await import('rate-limiter-flexible');
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW });
  const stateOf = (result: InstanceType<typeof RateLimiterRes>): RateState => ({
    limit: perMinute,
    remaining: result.remainingPoints,
    reset: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
    isExceeded: result.consumedPoints > perMinute,
  });
  return {
    async count(token) {
      const result = await limiter.consume(token).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
      return stateOf(result);
    },
    async look(token) {
      const result = await limiter.get(token);
      return result ? stateOf(result) : { limit: perMinute, remaining: perMinute, reset: WINDOW, isExceeded: false };
    },
  };
}

/** Creates the port through which the API limits requests. @param rate null if operations aren't counted */
export function createRequestLimits(rate: RateLimit | null, metrics: Metrics): RequestLimits {
  const reads = once(() => countPerMinute(CALENDAR_READS_PER_MINUTE));
  return {
    countOperation(token) {
      if (!rate) return null;
      return rate.count(token).then((state) => {
        if (state.isExceeded) metrics.rateLimited();
        return state;
      });
    },
    rateOf: (token) => rate?.look(token) ?? null,
    countRead: async (workspace) => (await reads()).count(workspace),
  };
}
