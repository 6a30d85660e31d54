import type { Door } from '@postshelf/api';
import { Refusal, type Uuid } from '@postshelf/domain';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Places } from './places.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Visit } from './visits.ts';

/** The door of this server: notes what it hears in the visit, and keeps the limits that operators set. */
export function createDoor(
  visitOf: (request: Request) => Visit | undefined,
  limits: { readonly rate: RateLimit | null; readonly places: Places },
  metrics: Metrics,
): Door {
  const count = async (rate: RateLimit, token: Uuid, visit: Visit | undefined): Promise<void> => {
    const state = await rate(token);
    if (visit) visit.rate = state;
    if (!state.isExceeded) return;
    metrics.rateLimited();
    throw new Refusal({ code: 'too_many_requests', message: 'Too many requests.', retryAfter: state.reset });
  };
  return {
    enter(request, route) {
      const visit = visitOf(request);
      if (visit) visit.route = route;
    },
    admit(request, { id }) {
      const visit = visitOf(request);
      if (visit) visit.token = id;
      return limits.rate ? count(limits.rate, id, visit) : null;
    },
    async takePlace(request) {
      try {
        return await limits.places.take(request.signal);
      } catch (error) {
        if (!request.signal.aborted) metrics.uploadTurnedAway();
        throw error;
      }
    },
  };
}
