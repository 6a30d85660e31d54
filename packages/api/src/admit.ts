import { authenticate, authenticateSession, requireScope } from '@postshelf/application';
import { type AccessToken, type Problem, Refusal, type Scope, type Session } from '@postshelf/domain';
import type { Exchange } from './exchange.ts';
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

  constructor(
    readonly token: AccessToken,
    /** The session whose cookie the request has; null if it has a token of its own. */
    readonly session: Session | null,
    private readonly exchange: Exchange,
    private readonly scope: Scope | null,
  ) {}

  /**
   * Whether the caller would still be let in: a body may take hours, and the token may be revoked, expire or use up its
   * limit meanwhile. Doesn't count as an operation.
   *
   * @throws Refusal as {@link admit}
   */
  async requireStillAdmitted(): Promise<void> {
    const { token } = await identify(this.exchange);
    const rate = this.exchange.service.limits.rateOf(token.id);
    if (rate) requireWithin(this.exchange, await rate);
    if (this.scope !== null) requireScope(token, this.scope);
  }

  /** The same once a second, while a body arrives. @throws Refusal that ends the body */
  async recheck(): Promise<void> {
    const now = performance.now();
    if (now - this.#checkedAt < ADMISSION_INTERVAL) return;
    this.#checkedAt = now;
    try {
      await this.requireStillAdmitted();
    } catch (error) {
      const { service, facts } = this.exchange;
      if (!(error instanceof Refusal)) service.observer.fault(error, facts);
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

/**
 * By the `Authorization` header, or else by the session in the cookie. Browsers send cookies with requests from any
 * page, so changes by cookie are only accepted from the service's own pages.
 *
 * @throws Refusal `unauthenticated`, `busy`, and `forbidden` for a session on another origin's page
 */
export async function identify(exchange: Exchange, scope: Scope | null = null): Promise<Caller> {
  const { service, facts, body, reply } = exchange;
  const { request } = facts;
  const authorization = request.headers.get('authorization');
  if (authorization !== null) {
    const token = await authenticate(service.ports, authorization, ({ jti }) => body.expect(jti));
    return new Caller(token, null, exchange, scope);
  }
  const secret = readSessionCookie(service, request);
  if (secret === null) throw new Refusal({ code: 'unauthenticated' });
  body.expect(facts.address);
  const { session, token } = await authenticateSession(service.ports, secret);
  if (!SAFE_METHODS.includes(request.method)) requireOwnOrigin(service, request);
  reply.isToSession = true;
  return new Caller(token, session, exchange, scope);
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
