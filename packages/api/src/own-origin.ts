import { Refusal } from '@postshelf/domain';
import type { Service } from './service.ts';

/** Returns the configured origin, or else the origin to which the request was sent. */
export const ownOriginOf = ({ ownOrigin }: Pick<Service, 'ownOrigin'>, { url }: Request): string =>
  ownOrigin ?? new URL(url).origin;

/** A hint for operators whose own pages are refused because the service doesn't know its public address. */
const BY_PROXY = 'Behind a proxy, PUBLIC_URL has to be set.';

/**
 * Checks the request's `Origin`. Browsers send cookies with requests from any page, so this prevents other sites from
 * making changes with a user's session (cross-site request forgery).
 *
 * @throws Refusal `forbidden` unless the origin is the service's own
 */
export function requireOwnOrigin(service: Pick<Service, 'ownOrigin'>, request: Request): void {
  const own = ownOriginOf(service, request);
  if (request.headers.get('origin') === own) return;
  const message = `The Origin of the request must be ${own}, the service's own.`;
  throw new Refusal({ code: 'forbidden', message: service.ownOrigin === null ? `${message} ${BY_PROXY}` : message });
}
