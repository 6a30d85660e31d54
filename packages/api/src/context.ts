import { isIP } from 'node:net';
import { type GiveBack, requireScope } from '@postshelf/application';
import { type AccessToken, Refusal, type Scope, type Session, type Uuid } from '@postshelf/domain';
import { dropMemory, memoryOf } from './body/memory.ts';
import { identify } from './identify.ts';
import type { RateState, RequestFacts, Service } from './service.ts';

/** Ids of requests that a proxy gives: no longer, and of no other characters, than what is safe to show in a log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Bytes of memory that one byte of an answer leaves behind: as it was read, as text, and as JSON that is counted and sent. */
const GARBAGE_OF_ANSWERS = 4;

const noPressure = (): number => 1;

/** Made once for each request, and handed down to all that answers it. */
export class RequestContext implements RequestFacts {
  readonly id: string;
  readonly address: string | null;
  bytesIn = 0;
  token: Uuid | null = null;
  /** By whose cookie the request is let in; null where a token does that. */
  session: Session | null = null;
  /** A cookie that the answer sets. */
  setCookie: string | null = null;
  /** By how many times the minimum rate of its body rises, for the sake of those who wait for its slot. */
  pressure = noPressure;
  /** How that token stands; null where nothing is limited. */
  rate: RateState | null = null;
  /** Whether all that the request was to do had been done before; null where that isn't asked. */
  isReplayed: boolean | null = null;
  /** What gives back the memory that the answer holds. */
  readonly #held: (() => void)[] = [];
  /** Memory of the body. */
  readonly #body: ArrayBuffer[] = [];

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

  /** The other end of the connection, the proxy where there is one. Asking costs a system call. */
  get peer(): string | null {
    return this.service.peerOf(this.request);
  }

  /** Aborted when the client has gone. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  /** Counts a chunk of the body. @param garbage as of `RequestObserver.received` */
  received(bytes: number, garbage: number): void {
    this.bytesIn += bytes;
    this.service.observer.received(bytes, garbage);
  }

  /**
   * Has the memory of a part of the body given back as soon as the request is answered.
   */
  holdBody(bytes: Uint8Array): void {
    const memory = memoryOf(bytes);
    if (memory) this.#body.push(memory);
  }

  /** The work that answers the request has ended, in whatever way. */
  letGoOfBody(): void {
    for (const memory of this.#body.splice(0)) dropMemory(memory);
  }

  /** Sets memory aside for so much of the answer until it is sent. @throws Refusal `busy` */
  holdAnswer(bytes: number): void {
    const giveBack = this.service.answers.take(this.token, bytes);
    if (!giveBack) return;
    this.#held.push(giveBack);
    this.service.observer.rendered(bytes * GARBAGE_OF_ANSWERS);
  }

  get holdsAnswer(): boolean {
    return this.#held.length > 0;
  }

  /** The answer was sent, or given up. */
  letGoOfAnswer(): void {
    for (const giveBack of this.#held.splice(0)) giveBack();
  }

  /**
   * Takes a slot for receiving files, or waits for one; from then on the body has to come the faster the more others wait.
   *
   * @returns what gives the slot back; a repeat does nothing
   * @throws Refusal `busy`
   */
  async takeUploadSlot(workspaceId: Uuid): Promise<GiveBack> {
    const { shares } = this.service.ports;
    const giveBack = await shares.take('uploads', workspaceId, this.request.signal);
    this.pressure = () => shares.pressure('uploads', workspaceId);
    return giveBack;
  }

  /** A call with a key was answered: by a kept answer, or by doing the work. */
  answered(isReplayed: boolean): void {
    this.isReplayed = isReplayed && this.isReplayed !== false;
  }

  /** Tells the operator of a fault of ours. */
  fault(cause: unknown): void {
    this.service.observer.fault(cause, this);
  }
}

/** Whose request it is. A proxy that is trusted says it; anybody else could say what they like. */
export const clientAddress = (
  request: Request,
  peerOf: (request: Request) => string | null,
  trustProxy: boolean,
): string | null => (trustProxy ? forwardedFor(request) : null) ?? peerOf(request);

/** The address that our proxy saw: the last one, as those before it are what the client says of itself. */
function forwardedFor(request: Request): string | null {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? null : last;
}

/**
 * Who asks for an operation. Every operation that wants a token begins here, so that none escapes the rate limit.
 *
 * @param scope null where any token will do
 * @throws Refusal `unauthenticated`, `forbidden`, `too_many_requests`, `missing_scope`
 */
export async function admit(context: RequestContext, scope: Scope | null): Promise<AccessToken> {
  const token = await identify(context);
  if (context.session) context.service.recordSessionUse(context.session);
  const counting = countOperation(context, token);
  if (counting) await counting;
  if (scope !== null) requireScope(token, scope);
  return token;
}

/**
 * Counts a request as an operation of the token.
 *
 * @returns null where nothing is limited, and nothing has to be waited for
 * @throws Refusal `too_many_requests`
 */
export function countOperation(context: RequestContext, token: AccessToken): Promise<void> | null {
  const { service } = context;
  service.recordUse(token);
  context.token = token.id;
  return service.limits.countOperation(token.id)?.then((rate) => requireWithin(context, rate)) ?? null;
}

/** @throws Refusal `too_many_requests` */
export function requireWithin(context: RequestContext, rate: RateState): void {
  context.rate = rate;
  if (!rate.isExceeded) return;
  throw new Refusal({ code: 'too_many_requests', message: 'Too many requests.', retryAfter: rate.reset });
}
