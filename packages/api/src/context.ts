import { isIP } from 'node:net';
import { type GiveBack, requireScope } from '@postshelf/application';
import { type AccessToken, Refusal, type Scope, type Session, type Uuid } from '@postshelf/domain';
import { dropMemory, memoryOf } from './body/memory.ts';
import { identify } from './identify.ts';
import type { RateState, RequestFacts, Service } from './service.ts';

/** Request ids that are taken from a proxy: of a length and of characters that are safe in a log. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Bytes of garbage for each byte of an answer: as it was read, as text, and as JSON that is counted and sent. */
const GARBAGE_OF_ANSWERS = 4;

const noPressure = (): number => 1;

/** Made once for each request, and handed down to everything that answers it. */
export class RequestContext implements RequestFacts {
  readonly id: string;
  readonly address: string | null;
  bytesIn = 0;
  token: Uuid | null = null;
  /** The session whose cookie the request came with; null where it has a token of its own. */
  session: Session | null = null;
  /** A cookie that the answer sets. */
  setCookie: string | null = null;
  /** The factor by which the minimum rate of its body rises while others wait for its slot. */
  pressure = noPressure;
  /** The token's state in the rate limit; null where nothing is limited. */
  rate: RateState | null = null;
  /** Whether all calls of the request were answered by kept answers; null where it has no key. */
  isReplayed: boolean | null = null;
  /** Functions that give back the memory of the answer. */
  readonly #held: (() => void)[] = [];
  /** Memory that the body holds. */
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

  /** Counts bytes of the body that became small objects. */
  parsed(bytes: number): void {
    this.service.observer.parsed(bytes);
  }

  /** Keeps track of the memory of a part of the body, so that {@link releaseBody} gives it back. */
  holdBody(bytes: Uint8Array): void {
    const memory = memoryOf(bytes);
    if (memory) this.#body.push(memory);
  }

  /** Gives back the memory of the body, once the work that answers the request has ended. */
  releaseBody(): void {
    for (const memory of this.#body.splice(0)) dropMemory(memory);
  }

  /** Sets memory aside for a part of the answer until it is sent. @throws Refusal `busy` */
  holdAnswer(bytes: number): void {
    const giveBack = this.service.answers.take(this.token, bytes);
    if (!giveBack) return;
    this.#held.push(giveBack);
    this.service.observer.rendered(bytes * GARBAGE_OF_ANSWERS);
  }

  get holdsAnswer(): boolean {
    return this.#held.length > 0;
  }

  /** Gives back the memory of the answer, once it was sent or given up. */
  releaseAnswer(): void {
    for (const giveBack of this.#held.splice(0)) giveBack();
  }

  /**
   * Takes a slot for receiving files, or waits for one. From then on the minimum rate of the body rises with the number of
   * others that wait.
   *
   * @returns a function that gives the slot back; a repeat does nothing
   * @throws Refusal `busy`
   */
  async takeUploadSlot(workspaceId: Uuid): Promise<GiveBack> {
    const { shares } = this.service.ports;
    const giveBack = await shares.take('uploads', workspaceId, this.request.signal);
    this.pressure = () => shares.pressure('uploads', workspaceId);
    return giveBack;
  }

  /** Records that a call with a key was answered: by a kept answer, or by doing the work. */
  answered(isReplayed: boolean): void {
    this.isReplayed = isReplayed && this.isReplayed !== false;
  }

  /** Lets work go on that the answer doesn't depend on; if it fails, the operator is told. */
  inBackground(work: Promise<unknown>): void {
    work.catch((cause: unknown) => this.fault(cause));
  }

  /** Reports a fault of ours to the operator. */
  fault(cause: unknown): void {
    this.service.observer.fault(cause, this);
  }
}

/** The client's address: from a trusted proxy's header, as anybody else could write any address there. */
export const clientAddress = (
  request: Request,
  peerOf: (request: Request) => string | null,
  trustProxy: boolean,
): string | null => (trustProxy ? forwardedFor(request) : null) ?? peerOf(request);

/** The address that our proxy saw: the last one, as the client itself may have written those before it. */
function forwardedFor(request: Request): string | null {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
  return isIP(last) === 0 ? null : last;
}

/**
 * The caller of an operation. Every operation that wants a token begins here, so that none escapes the rate limit.
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
