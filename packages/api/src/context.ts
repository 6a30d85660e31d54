import { authenticate } from '@postshelf/application';
import type { AccessToken } from '@postshelf/domain';
import type { Service } from './service.ts';

/**
 * Who asks for an operation. Every operation that wants a token begins here, so that none escapes the door's limit.
 *
 * @throws Refusal `unauthenticated`, `too_many_requests`
 */
export async function identify(service: Service, request: Request): Promise<AccessToken> {
  const token = await authenticate(service.ports, request.headers.get('authorization'));
  service.noteUse(token);
  const admitted = service.door.admit(request, token);
  if (admitted) await admitted;
  return token;
}
