import { type ImportSettings, type Ports, recordUse } from '@postshelf/application';
import type { AccessToken, PresignReceiver, Session, Uuid } from '@postshelf/domain';
import { AnswerMemory } from './answer-memory.ts';

/** How long a client may take over a request body. */
export interface BodyTimeouts {
  /** Milliseconds without a byte after which a body is given up: 408. */
  readonly idle: number;
  /** Bytes a second, over the last {@link idle} of waiting for the client, below which it is given up: 408. */
  readonly minimumRate: number;
}

/** A token's state in the current window of the rate limit. */
export interface RateState {
  /** Operations that a window allows. */
  readonly limit: number;
  /** Operations left in it. */
  readonly remaining: number;
  /** Whole seconds until the next window. */
  readonly reset: number;
  readonly isExceeded: boolean;
}

/** Port: the limits that operators set. */
export interface RequestLimits {
  /**
   * Counts one operation of a token; a batch over tRPC calls this for each of its calls.
   *
   * @returns null where nothing is limited, and nothing has to be waited for
   */
  countOperation(token: Uuid): Promise<RateState> | null;
  /** A token's state, without counting anything; null where nothing is limited. */
  rateOf(token: Uuid): Promise<RateState> | null;
}

/** What is known of a request while it is answered. */
export interface RequestFacts {
  /** Sent to the client in `X-Request-Id`, and in every line of the log about the request. */
  readonly id: string;
  readonly request: Request;
  /** The route that matched, parameters in braces; null where none did. */
  readonly route: string | null;
  /** The client's IP address; null when it has hung up already. */
  readonly address: string | null;
  /** Bytes of the body that were read. */
  readonly bytesIn: number;
  /** The caller's token, by its id; null as long as it isn't known. */
  readonly token: Uuid | null;
}

/** Port: observes every request and its answer, and reports faults to the operator, which callers don't see. */
export interface RequestObserver {
  /** Runs the work that answers a request, which may be measured, traced and logged. */
  observe(facts: RequestFacts, answer: () => Promise<Response>): Promise<Response>;
  /**
   * A chunk of a request's body was read.
   *
   * @param garbage about how many bytes of memory it leaves to be collected
   */
  received(bytes: number, garbage: number): void;
  /** So many bytes of a body became small objects, which are garbage soon. */
  parsed(bytes: number): void;
  /** A large answer was made. @param garbage as of {@link received} */
  rendered(garbage: number): void;
  /** A fault of ours that ended a request with 500 or 503. */
  fault(cause: unknown, facts: RequestFacts): void;
  /** The object of an active item isn't there. */
  missing(id: Uuid): void;
  /** Something went wrong although the request succeeded. */
  warning(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** What the server supplies. */
export interface ServiceParts {
  readonly ports: Ports;
  /** The service's root as clients reach it, without a trailing slash; `base_url` is this + `/v1`. */
  readonly publicUrl: string;
  /** The origin of the pages that may act by a session's cookie; null: the one that a request was addressed to. */
  readonly ownOrigin: string | null;
  /** Whether a proxy in front says who the client is and what the request is called. */
  readonly trustProxy: boolean;
  /** The address at the other end of a request's connection; null when the client has hung up already. */
  readonly peerOf: (request: Request) => string | null;
  readonly bodyTimeouts: BodyTimeouts;
  readonly imports: ImportSettings;
  /** Takes files sent to addresses of this service; null where the storage takes them itself. */
  readonly presignReceiver: PresignReceiver | null;
  /** Where links begin: `full_name` follows. No trailing slash. */
  readonly mediaBase: string;
  /** A short-lived address of an object in the storage, to send readers of a link to; null: this service streams it. */
  readonly redirectTo: ((fullName: string, method: 'GET' | 'HEAD') => Promise<string>) | null;
  readonly limits: RequestLimits;
  readonly observer: RequestObserver;
}

/** What every request works with. */
export interface Service extends ServiceParts {
  /** The memory of answers that weren't read yet. */
  readonly answers: AnswerMemory;
  /** Records that a token was used; returns at once. */
  readonly recordUse: (token: AccessToken) => void;
  /** The same for a session. */
  readonly recordSessionUse: (session: Session) => void;
}

export function createService(parts: ServiceParts): Service {
  const { ports, observer } = parts;
  const { clock, tokens, sessions } = ports;
  const told = (what: string) => (cause: unknown, id: Uuid) =>
    observer.warning(`a ${what}'s use could not be written down`, { [what]: id, cause });
  return {
    ...parts,
    answers: new AnswerMemory(),
    recordUse: recordUse(tokens, clock, told('token')),
    recordSessionUse: recordUse(sessions, clock, told('session')),
  };
}

export const baseUrl = (service: Service): string => `${service.publicUrl}/v1`;
