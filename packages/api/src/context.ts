import { isIP } from 'node:net';
import { type ReleaseSlot, requireScope } from '@postshelf/application';
import { type AccessToken, Refusal, type Scope, type Session, type Uuid } from '@postshelf/domain';
import { identify } from './identify.ts';
import { unreadBytesOf } from './memory-shares.ts';
import type { RateState, RequestFacts, Service } from './service.ts';

/** Request ids accepted from a proxy: of a length and of characters that are safe in a log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Created once for each request, and passed to everything that answers it. */
export class RequestContext implements RequestFacts {
  readonly id: string;
  readonly address: string | null;
  bytesIn = 0;
  token: Uuid | null = null;
  readonly accepted: string[] = [];
  refusal: RequestFacts['refusal'] = null;
  /** The session whose cookie the request has; null if it has a token of its own. */
  session: Session | null = null;
  /** The `Set-Cookie` header of the answer. */
  setCookie: string | null = null;
  /** The token's state in the rate limit; null without a limit. */
  rate: RateState | null = null;
  /** Whether all calls of the request were answered by stored answers; null if the request has no key. */
  isReplayed: boolean | null = null;
  /** Whether the answer is sent while calls of the request still run, so that memory may be held for it later. */
  isStreamed = false;
  /** The scope that the caller was admitted for, null for any; undefined until then. */
  admittedFor: Scope | null | undefined = undefined;
  /** Functions that release the memory of the answer, and of the body. */
  readonly #held: (() => void)[] = [];
  readonly #heldOfBody: (() => void)[] = [];
  #isAnswerOver = false;

  constructor(
    readonly service: Service,
    readonly request: Request,
    readonly route: string | null,
  ) {
    const { trustProxy } = service;
    const given = trustProxy ? request.headers.get('x-request-id') : null;
    this.id = given !== null && REQUEST_ID.test(given) ? given : Bun.randomUUIDv7();
    this.address = clientAddress(request, service.peerOf, trustProxy);
  }

  /**
   * The address at the other end of the connection, which is the proxy's if there is one. Each look-up costs a system
   * call.
   */
  get peer(): string | null {
    return this.service.peerOf(this.request);
  }

  /** Aborted when the client has gone. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  #hasBodyBegun = false;
  #hasBodyEnded = false;
  #releaseUnread: (() => void) | null = null;

  /**
   * Reserves memory for what arrives of the body until its reading begins or the request has been answered: whatever
   * is awaited before, 1,500 bodies of 1 MB may arrive meanwhile.
   *
   * @param caller what the request says of its caller, whom nobody may have looked up yet
   * @throws Refusal `busy`
   */
  expectBody(caller: string | null): void {
    if (this.#hasBodyBegun || this.#releaseUnread) return;
    this.#releaseUnread = this.service.unreadBodies.take(caller, unreadBytesOf(this.request));
  }

  /** Reading the body begins. */
  bodyBegun(): void {
    this.#hasBodyBegun = true;
    this.#releaseUnread?.();
  }

  /** The body was read to its end. */
  bodyEnded(): void {
    this.#hasBodyEnded = true;
  }

  /** Whether the client may still be sending a body whose length it hasn't announced. */
  get mayBeSending(): boolean {
    return !this.#hasBodyEnded && this.request.headers.has('transfer-encoding');
  }

  /** Counts bytes of the body. */
  received(bytes: number): void {
    this.bytesIn += bytes;
  }

  /**
   * Checks whether a caller who was admitted still would be: a body may take hours, and the token may be revoked,
   * expire or use up its rate limit meanwhile. It doesn't count as an operation: a slow upload is one operation,
   * however long it takes.
   *
   * @throws Refusal as {@link admit}
   */
  async requireStillAdmitted(): Promise<void> {
    if (this.admittedFor === undefined) return;
    const token = await identify(this);
    const rate = this.service.limits.rateOf(token.id);
    if (rate) requireWithin(this, await rate);
    if (this.admittedFor !== null) requireScope(token, this.admittedFor);
  }

  /** Reserves memory for a body, or a part of it, until the request has been answered. @throws Refusal `busy` */
  holdBody(bytes: number): void {
    const release = this.service.bodies.take(this.token ?? this.address, bytes);
    if (release) this.#heldOfBody.push(release);
  }

  /** Releases the memory of the body. */
  releaseBody(): void {
    this.#releaseUnread?.();
    for (const release of this.#heldOfBody.splice(0)) release();
  }

  /** Reserves memory for a part of the answer until it is sent, unless it was abandoned. @throws Refusal `busy` */
  holdAnswer(bytes: number): void {
    if (this.#isAnswerOver) return;
    const release = this.service.answers.take(this.token, bytes);
    if (release) this.#held.push(release);
  }

  /** Whether memory is held for the answer, or may be until it is sent. */
  get mayHoldAnswer(): boolean {
    return this.isStreamed || this.#held.length > 0;
  }

  /** Releases the memory of the answer, once it was sent or abandoned. */
  releaseAnswer(): void {
    this.#isAnswerOver = true;
    for (const release of this.#held.splice(0)) release();
  }

  /**
   * Takes a slot for receiving files, or waits for one.
   *
   * @returns a function that gives the slot back; calling it again does nothing
   * @throws Refusal `busy`
   */
  takeUploadSlot(workspaceId: Uuid): Promise<ReleaseSlot> {
    return this.service.ports.shares.take('uploads', workspaceId, this.request.signal);
  }

  /** Records how a call with a key was answered: by a stored answer, or by doing the work. */
  answered(isReplayed: boolean): void {
    this.isReplayed = isReplayed && this.isReplayed !== false;
  }

  /** Lets work continue that the answer doesn't depend on; if it fails, the operator is told. */
  inBackground(work: Promise<unknown>): void {
    work.catch((cause: unknown) => this.fault(cause));
  }

  /** Notes a refusal for the log. */
  refused(cause: unknown): void {
    if (!(cause instanceof Refusal)) return;
    const { problem } = cause;
    this.refusal = { code: problem.code, fields: problem.code === 'invalid' ? Object.keys(problem.errors) : [] };
  }

  /** Reports an internal fault to the operator. */
  fault(cause: unknown): void {
    this.service.observer.fault(cause, this);
  }
}

/**
 * The client's address: from a proxy's header if the proxy is trusted, as any other client could write any address
 * there.
 */
export const clientAddress = (
  request: Request,
  peerOf: (request: Request) => string | null,
  trustProxy: boolean,
): string | null => (trustProxy ? forwardedFor(request) : null) ?? peerOf(request);

/** The address that our proxy saw, which is the last one: the client itself may have written those before it. */
function forwardedFor(request: Request): string | null {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? null : last;
}

/**
 * Authenticates the caller of an operation, checks the scope, and counts the operation. Every operation that needs a
 * token begins here, so that none escapes the rate limit.
 *
 * @param scope null if any token will do
 * @throws Refusal `unauthenticated`, `forbidden`, `too_many_requests`, `missing_scope`
 */
export async function admit(context: RequestContext, scope: Scope | null): Promise<AccessToken> {
  const token = await identify(context);
  if (context.session) context.service.recordSessionUse(context.session);
  const counting = countOperation(context, token);
  if (counting) await counting;
  if (scope !== null) requireScope(token, scope);
  context.admittedFor = scope;
  return token;
}

/**
 * Counts a request as an operation of the token.
 *
 * @returns null if there is no limit, so that nothing has to be awaited
 * @throws Refusal `too_many_requests`
 */
export function countOperation(context: RequestContext, token: AccessToken): Promise<void> | null {
  const { service } = context;
  service.recordUse(token);
  context.token = token.id;
  return service.limits.countOperation(token.id)?.then((rate) => requireWithin(context, rate)) ?? null;
}

/** @throws Refusal `too_many_requests` */
function requireWithin(context: RequestContext, rate: RateState): void {
  context.rate = rate;
  if (!rate.isExceeded) return;
  throw new Refusal({ code: 'too_many_requests', message: 'Too many requests.', retryAfter: rate.reset });
}
