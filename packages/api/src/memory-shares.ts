import { Refusal } from '@postshelf/domain';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum bytes that requests may hold, and the messages for callers that are refused. */
export interface MemoryLimits {
  /** Maximum bytes of all callers together, and of each caller. */
  readonly all: number;
  readonly caller: number;
  /** Amounts below this number of bytes aren't counted. */
  readonly min: number;
  readonly refusals: { readonly all: string; readonly caller: string };
}

export const ANSWERS: MemoryLimits = {
  all: 64 * MIB,
  caller: 16 * MIB,
  min: 64 * KIB,
  refusals: {
    all: 'Too many answers are still unread.',
    caller: 'Too many answers to this token are still unread.',
  },
};

/** Limits for request bodies, or for the parts of them that stay in memory until the request is answered. */
export const BODIES: MemoryLimits = {
  all: 32 * MIB,
  caller: 8 * MIB,
  min: 4 * KIB,
  refusals: {
    all: 'Too many large request bodies are arriving.',
    caller: 'Too many large request bodies are arriving for this token.',
  },
};

/** Maximum bytes of a body that the runtime receives before anything reads them. */
const MAX_UNREAD = Math.floor(1.7 * MIB);

/** Limits for bodies whose caller is being looked up in the database, and for bodies that wait for a slot. */
export const UNREAD_BODIES: MemoryLimits = {
  all: 96 * MIB,
  caller: 40 * MIB,
  min: 4 * KIB,
  refusals: {
    all: 'Too many request bodies are waiting to be read.',
    caller: 'Too many request bodies are waiting to be read for this token.',
  },
};

/**
 * Limits, by address, for bodies from unauthenticated clients. These bodies don't count towards the limits for others.
 */
export const STRANGERS: MemoryLimits = {
  all: 32 * MIB,
  caller: 16 * MIB,
  min: 4 * KIB,
  refusals: {
    all: 'Too many request bodies are arriving without a known token.',
    caller: 'Too many request bodies are arriving from this address without a known token.',
  },
};

/**
 * Limits for browsers that return from the OpenID provider, by network. The limits count browsers, not bytes. Browsers
 * are limited because the service sends requests to the provider for each of them.
 */
export const RETURNING: MemoryLimits = {
  all: 20,
  caller: 10,
  min: 1,
  refusals: {
    all: 'Too many people are returning from the OpenID provider.',
    caller: 'Too many people on this network are returning from the OpenID provider.',
  },
};

/** Returns the maximum bytes of memory that a body takes before it is read; 0 if there is no body. */
export function unreadBytesOf({ body, headers }: Request): number {
  if (!body) return 0;
  const announced = headers.get('content-length');
  return announced === null ? MAX_UNREAD : Math.min(Number(announced), MAX_UNREAD);
}

const RETRY_AFTER = 5;

/**
 * Limits the memory that requests hold. A caller gets no more than half of what other callers leave, so that something
 * is left for the next caller.
 */
export class MemoryShares {
  #all = 0;
  readonly #ofCallers = new Map<string | null, number>();

  constructor(private readonly limits: MemoryLimits) {}

  /**
   * Reserves memory.
   *
   * @param caller the id of a token, or an address
   * @returns a function that releases the memory, and does nothing when it is called again; null if the amount is too
   * small to be counted
   * @throws Refusal `busy`
   */
  take(caller: string | null, bytes: number): (() => void) | null {
    const { all, caller: max, min, refusals } = this.limits;
    if (bytes < min) return null;
    const ofCaller = this.#ofCallers.get(caller) ?? 0;
    if (ofCaller + bytes > max) throw busy(refusals.caller);
    if (ofCaller + bytes > (all - this.#all + ofCaller) / 2) throw busy(refusals.all);
    this.#all += bytes;
    this.#ofCallers.set(caller, ofCaller + bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#all -= bytes;
      const left = (this.#ofCallers.get(caller) ?? bytes) - bytes;
      if (left > 0) this.#ofCallers.set(caller, left);
      else this.#ofCallers.delete(caller);
    };
  }
}

const busy = (message: string): Refusal => new Refusal({ code: 'busy', message, retryAfter: RETRY_AFTER });
