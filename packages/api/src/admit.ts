import {
  type Authenticated,
  authenticate,
  authenticatedBy,
  authenticateSession,
  type Caller as CallerOf,
  callerOf,
  requireEntry,
  requirePossible,
} from '@postshelf/application';
import { type Actor, type Entry, type Problem, Refusal, type Scope, type Uuid } from '@postshelf/domain';
import type { Exchange } from './exchange.ts';
import { requireOwnOrigin } from './own-origin.ts';
import type { RequestFacts } from './request-facts.ts';
import type { RateState, Service } from './service.ts';
import { readSessionCookie } from './session-cookie.ts';

/** Safe methods (RFC 9110 section 9.2.1). tRPC requests with these methods change nothing either. */
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export const ADMISSION_INTERVAL = 1_000;

/**
 * Codes of refusals after which a body isn't read any further. After any other refusal, for example because the
 * database is unreachable, reading continues until the next check.
 */
const FINAL: readonly Problem['code'][] = ['unauthenticated', 'missing_scope', 'not_found', 'too_many_requests'];

/** An admitted caller of a request. Use cases ask this object what the caller may do in a workspace. */
export class Caller implements CallerOf {
  readonly actor: Actor | null;
  /** The id by which the caller's rate limits and stored responses are found. */
  readonly id: Uuid;
  readonly possible: readonly Scope[];
  /** The workspaces that the request has used and that the caller may enter; rarely more than one. */
  readonly entered: Uuid[] = [];
  #checkedAt = performance.now();

  constructor(
    readonly who: Authenticated,
    readonly scope: Scope | null,
    /** Authenticates the request again, with the current state. @throws Refusal as {@link authenticateRequest} */
    private readonly authenticateAgain: () => Promise<Authenticated>,
    /** Checks the caller's rate limit. @throws Refusal `too_many_requests` */
    private readonly requireRate: (actor: Actor) => Promise<void>,
    /** Called with the reason when a check could not be made. */
    private readonly onFault: (cause: unknown) => void,
  ) {
    const { actor, holder } = who.access;
    this.actor = actor;
    this.id = actor?.id ?? holder;
    this.possible = who.access.possible;
  }

  /** Returns this caller, for an operation that needs another scope. @throws Refusal `missing_scope` */
  within(scope: Scope | null): Caller {
    requirePossible(this, scope);
    return new Caller(this.who, scope, this.authenticateAgain, this.requireRate, this.onFault);
  }

  entryOf(workspaceId: Uuid): Entry | null {
    const entry = this.who.access.entryOf(workspaceId, this.scope);
    if (entry && !this.entered.includes(workspaceId)) this.entered.push(workspaceId);
    return entry;
  }

  reenter(workspaceIds: readonly Uuid[]): void {
    for (const workspaceId of workspaceIds) requireEntry(this, workspaceId);
  }

  /**
   * Checks that the caller would still be admitted. A body may take hours, in which the token may be revoked, expire or
   * use up its rate limit, and the person may be removed. The check doesn't count as an operation.
   *
   * @throws Refusal as {@link admit}
   */
  async requireStillAdmitted(): Promise<void> {
    const { actor } = await this.requireStillEntered();
    if (actor) await this.requireRate(actor);
  }

  /**
   * Like {@link requireStillAdmitted}, but ignores the rate limit. Returns the caller's current state.
   *
   * @throws Refusal as {@link requireEntry}
   */
  async requireStillEntered(): Promise<CallerOf> {
    const now = callerOf((await this.authenticateAgain()).access, this.scope);
    requirePossible(now, this.scope);
    for (const workspaceId of this.entered) requireEntry(now, workspaceId);
    return now;
  }

  /**
   * Must be called while a body arrives. Calls {@link requireStillAdmitted} at most once a second.
   *
   * @throws Refusal if the rest of the body must not be read
   */
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
 * Authenticates the caller of an operation, counts the operation, and refuses a caller that has the operation's scope
 * in no workspace. Every operation that needs a caller calls this first. Access to the operation's workspace is checked
 * later.
 *
 * @param scope null if any caller will do
 * @throws Refusal `unauthenticated`, `forbidden`, `too_many_requests`, `missing_scope`, `busy`
 */
export async function admit(exchange: Exchange, scope: Scope | null): Promise<Caller> {
  const caller = await identify(exchange, scope);
  const counting = countOperation(exchange, caller.who);
  if (counting) await counting;
  requirePossible(caller, scope);
  return caller;
}

/**
 * Authenticates the caller, but neither checks its scope nor counts an operation.
 *
 * @throws Refusal as {@link authenticateRequest}
 */
export async function identify(exchange: Exchange, scope: Scope | null = null): Promise<Caller> {
  const { service, facts, body, reply } = exchange;
  const who = await authenticateRequest(service, facts, (caller) => body.expect(caller));
  if (who.session) {
    body.expect(who.access.holder);
    reply.isToSession = true;
  }
  return new Caller(
    who,
    scope,
    () => authenticateRequest(service, facts),
    async ({ id }) => {
      const rate = service.limits.rateOf(id);
      if (rate) requireWithin(exchange, await rate);
    },
    (cause) => service.observer.fault(cause, facts),
  );
}

/**
 * Matches credentials of a scheme other than `Bearer` (RFC 9110 section 11.4), such as `Basic` for a proxy that asks for
 * a password.
 */
const OTHER_CREDENTIALS = /^(?!bearer )[\w!#$%&'*+.^`|~-]+ /i;

/** Returns the request's `Authorization`; null if it has none, or only credentials that are meant for a proxy. */
export function authorizationOf({ headers }: Request): string | null {
  const given = headers.get('authorization');
  return given === null || OTHER_CREDENTIALS.test(given) ? null : given;
}

/**
 * Authenticates a request by its token or, if it has none, by the session in its cookie. Changes by cookie are only
 * accepted from the service's own pages.
 *
 * @param beforeLookup called with the id of a token whose signature is valid, or null
 * @throws Refusal `unauthenticated`, `busy`, and `forbidden` for a session on another origin's page
 */
async function authenticateRequest(
  service: Service,
  { request }: RequestFacts,
  beforeLookup: (token: Uuid | null) => void = () => undefined,
): Promise<Authenticated> {
  const authorization = authorizationOf(request);
  if (authorization !== null) {
    const token = await authenticate(service.ports, authorization, ({ jti }) => beforeLookup(jti));
    return authenticatedBy(token, null);
  }
  const secret = readSessionCookie(service, request);
  if (secret === null) throw new Refusal({ code: 'unauthenticated' });
  beforeLookup(null);
  const found = await authenticateSession(service.ports, secret);
  if (!SAFE_METHODS.includes(request.method)) requireOwnOrigin(service, request);
  return found;
}

/**
 * Counts an operation in the rate limit, and records the use of the token or session.
 *
 * @returns null if there is no limit, so that nothing has to be awaited
 * @throws Refusal `too_many_requests`
 */
export function countOperation(exchange: Exchange, { access, token, session }: Authenticated): Promise<void> | null {
  const { service, record } = exchange;
  if (token) service.recordUse(token);
  if (session) service.recordSessionUse(session);
  record.known(access);
  const counting = access.actor && service.limits.countOperation(access.actor.id);
  return counting?.then((rate) => requireWithin(exchange, rate)) ?? null;
}

/** Adds the rate limit's state to the reply. @throws Refusal `too_many_requests` */
export function requireWithin({ reply }: Exchange, rate: RateState): void {
  reply.rate = rate;
  if (!rate.isExceeded) return;
  throw new Refusal({ code: 'too_many_requests', message: 'Too many requests.', retryAfter: rate.reset });
}
