import { authenticate, authenticateSession, requireScope } from '@postshelf/application';
import { type AccessToken, type Problem, Refusal, type Scope, type Session, type Uuid } from '@postshelf/domain';
import type { Exchange } from './exchange.ts';
import type { Facts } from './facts.ts';
import type { RateState, Service } from './service.ts';
import { ownOriginOf, readSessionCookie } from './session-cookie.ts';

/** Methods that change nothing (RFC 9110 section 9.2.1), by tRPC as well. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export const ADMISSION_INTERVAL = 1_000;

/**
 * Refusals that end a body. After any other, for example while the database is unreachable, the next check decides.
 */
const FINAL: readonly Problem['code'][] = ['unauthenticated', 'missing_scope', 'too_many_requests'];

/** Who makes a request, and was let in. */
export class Caller {
  #checkedAt = performance.now();

  /** @param onFault told why a check could not be made */
  constructor(
    readonly token: AccessToken,
    /** The session whose cookie the request has; null if it has a token of its own. */
    readonly session: Session | null,
    /**
     * Whether the caller would still be let in: a body may take hours, and the token may be revoked, expire or use up
     * its limit meanwhile. Doesn't count as an operation. @throws Refusal as {@link admit}
     */
    readonly requireStillAdmitted: () => Promise<void>,
    /** The caller's token as it is now, whatever its limit. @throws Refusal as {@link authenticateRequest} */
    readonly authenticateAgain: () => Promise<AccessToken>,
    private readonly onFault: (cause: unknown) => void,
  ) {}

  /** The same once a second, while a body arrives. @throws Refusal that ends the body */
  async recheck(): Promise<void> {
    const now = performance.now();
    if (now - this.#checkedAt < ADMISSION_INTERVAL) return;
    this.#checkedAt = now;
    try {
      await this.requireStillAdmitted();
    } catch (error) {
      if (!(error instanceof Refusal)) this.onFault(error);
      else if (FINAL.includes(error.problem.code)) throw error;
    }
  }
}

/**
 * Authenticates the caller of an operation, checks the scope, and counts the operation. Every operation that needs a
 * token begins here.
 *
 * @param scope null if any token will do
 * @throws Refusal `unauthenticated`, `forbidden`, `too_many_requests`, `missing_scope`, `busy`
 */
export async function admit(exchange: Exchange, scope: Scope | null): Promise<Caller> {
  const caller = await identify(exchange, scope);
  const { token, session } = caller;
  if (session) exchange.service.recordSessionUse(session);
  const counting = countOperation(exchange, token);
  if (counting) await counting;
  if (scope !== null) requireScope(token, scope);
  return caller;
}

/** @throws Refusal as {@link authenticateRequest} */
export async function identify(exchange: Exchange, scope: Scope | null = null): Promise<Caller> {
  const { service, facts, body, reply } = exchange;
  const { token, session } = await authenticateRequest(service, facts, (caller) => body.expect(caller));
  if (session) {
    body.expect(token.id);
    reply.isToSession = true;
  }
  const authenticateAgain = async (): Promise<AccessToken> => (await authenticateRequest(service, facts)).token;
  const requireStillAdmitted = async (): Promise<void> => {
    const now = await authenticateAgain();
    const rate = service.limits.rateOf(now.id);
    if (rate) requireWithin(exchange, await rate);
    if (scope !== null) requireScope(now, scope);
  };
  const onFault = (cause: unknown): void => service.observer.fault(cause, facts);
  return new Caller(token, session, requireStillAdmitted, authenticateAgain, onFault);
}

/**
 * By the `Authorization` header, or else by the session in the cookie. Browsers send cookies with requests from any
 * page, so changes by cookie are only accepted from the service's own pages.
 *
 * @param beforeLookup gets the id of a token whose signature is right, or null
 * @throws Refusal `unauthenticated`, `busy`, and `forbidden` for a session on another origin's page
 */
async function authenticateRequest(
  service: Service,
  { request }: Facts,
  beforeLookup: (token: Uuid | null) => void = () => undefined,
): Promise<{ readonly token: AccessToken; readonly session: Session | null }> {
  const authorization = request.headers.get('authorization');
  if (authorization !== null) {
    const token = await authenticate(service.ports, authorization, ({ jti }) => beforeLookup(jti));
    return { token, session: null };
  }
  const secret = readSessionCookie(service, request);
  if (secret === null) throw new Refusal({ code: 'unauthenticated' });
  beforeLookup(null);
  const found = await authenticateSession(service.ports, secret);
  if (!SAFE_METHODS.includes(request.method)) requireOwnOrigin(service, request);
  return found;
}

/**
 * @returns null if there is no limit, so that nothing has to be awaited
 * @throws Refusal `too_many_requests`
 */
export function countOperation(exchange: Exchange, token: AccessToken): Promise<void> | null {
  const { service, record } = exchange;
  service.recordUse(token);
  record.token = token.id;
  return service.limits.countOperation(token.id)?.then((rate) => requireWithin(exchange, rate)) ?? null;
}

function requireWithin({ reply }: Exchange, rate: RateState): void {
  reply.rate = rate;
  if (!rate.isExceeded) return;
  throw new Refusal({ code: 'too_many_requests', message: 'Too many requests.', retryAfter: rate.reset });
}

/** For operators whose own pages are refused because the service doesn't know its public address. */
const BY_PROXY = 'Behind a proxy, PUBLIC_URL has to be set.';

/** @throws Refusal `forbidden` unless the request's `Origin` is the service's own */
export function requireOwnOrigin(service: Service, request: Request): void {
  const own = ownOriginOf(service, request);
  if (request.headers.get('origin') === own) return;
  const message = `The Origin of the request must be ${own}, the service's own.`;
  throw new Refusal({ code: 'forbidden', message: service.ownOrigin === null ? `${message} ${BY_PROXY}` : message });
}
