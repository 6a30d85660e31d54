import type { RequestLimits } from '@postshelf/api';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RateLimit } from './rate-limit.ts';
import type { UploadSlots } from './upload-slots.ts';

/** The limits of this server, and what they refuse in its figures. @param rate null: operations aren't counted */
export function createRequestLimits(rate: RateLimit | null, slots: UploadSlots, metrics: Metrics): RequestLimits {
  return {
    countOperation(token) {
      if (!rate) return null;
      return rate(token).then((state) => {
        if (state.isExceeded) metrics.rateLimited();
        return state;
      });
    },
    async takeUploadSlot(signal) {
      try {
        return await slots.take(signal);
      } catch (error) {
        if (!signal.aborted) metrics.uploadTurnedAway();
        throw error;
      }
    },
  };
}
