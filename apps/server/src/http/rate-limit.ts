import type { RateState, RequestLimits } from '@postshelf/api';
import { CALENDAR_READS_PER_MINUTE, type Uuid } from '@postshelf/domain';
import { once } from '../once.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** The length of a window in seconds. A window begins with the first operation. */
const WINDOW = 60;

/**
 * Creates the port through which the API limits requests. It counts only operations with valid tokens, so that
 * unauthenticated clients can't make it use more and more memory.
 *
 * @param perMinute the maximum operations per minute of a token; 0 for no limit
 */
export async function createRequestLimits(perMinute: number, metrics: Metrics): Promise<RequestLimits> {
  const operations = perMinute === 0 ? null : await countPerMinute(perMinute);
  const reads = once(() => countPerMinute(CALENDAR_READS_PER_MINUTE));
  return {
    countOperation(token) {
      if (!operations) return null;
      return operations.count(token).then((state) => {
        if (state.isExceeded) metrics.rateLimited();
        return state;
      });
    },
    rateOf: (token) => operations?.peek(token) ?? null,
    countRead: async (workspace) => (await reads()).count(workspace),
  };
}

async function countPerMinute(perMinute: number) {
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
    async count(id: Uuid): Promise<RateState> {
      const result = await limiter.consume(id).catch((refused: unknown) => {
        if (refused instanceof RateLimiterRes) return refused;
        throw refused;
      });
      return stateOf(result);
    },
    async peek(id: Uuid): Promise<RateState> {
      const result = await limiter.get(id);
      return result ? stateOf(result) : { limit: perMinute, remaining: perMinute, reset: WINDOW, isExceeded: false };
    },
  };
}
