import { AuditLog, type EventFeed, type ImportSettings, type Resources, recordUse } from '@postshelf/application';
import type { AccessToken, Actor, LinkPlace, PresignReceiver, Session, Uuid } from '@postshelf/domain';
import { Lingering } from './body/lingering.ts';
import { ANSWERS, BODIES, MemoryShares, RETURNING, STRANGERS, UNREAD_BODIES } from './memory-shares.ts';
import type { RequestFacts } from './request-facts.ts';

export interface BodyTimeouts {
  readonly idle: number;
  /**
   * Minimum bytes per second, measured over the last {@link idle} milliseconds of waiting. A slower body is refused
   * with 408.
   */
  readonly minimumRate: number;
}

/** The state of a token or a person in the current window of the rate limit. */
export interface RateState {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly isExceeded: boolean;
}

/** The port of the rate limit. */
export interface RequestLimits {
  /**
   * Counts an operation. In a batch, each call is an operation.
   *
   * @returns null if there is no limit, so that nothing has to be awaited
   */
  countOperation(actor: Uuid): Promise<RateState> | null;
  /** Returns the state without counting an operation; null if there is no limit. */
  rateOf(actor: Uuid): Promise<RateState> | null;
  /** Counts a read of a calendar's feed, which always has a limit. */
  countRead(workspace: Uuid): Promise<RateState>;
}

/** The properties of a request that are known once it has been answered. */
export interface RequestRecord {
  readonly facts: RequestFacts;
  readonly bytesIn: number;
  /** The caller; null until it is known. */
  readonly actor: Actor | null;
  /** The tool that an assistant called; null for any other request. */
  readonly tool: string | null;
  /** Items that the request left `processing`. Their later log lines have this request's id. */
  readonly accepted: readonly string[];
  /** The code of the request's refusal, and the fields that a 422 names. */
  readonly refusal: { readonly code: string; readonly fields: readonly string[] } | null;
}

/** The port that observes every request, and reports faults to the operator. */
export interface RequestObserver {
  /** Runs the work that answers a request, and may measure, trace and log it. */
  observe(record: RequestRecord, answer: () => Promise<Response>): Promise<Response>;
  /** Reports an internal fault that ended a request with 500 or 503. */
  fault(cause: unknown, facts: RequestFacts): void;
  /** Reports that the object of an active item doesn't exist. */
  missing(id: Uuid): void;
  /** Reports that something went wrong although the request succeeded. */
  warning(message: string, details: Readonly<Record<string, unknown>>): void;
}

export interface Redirects {
  /**
   * The readers that are redirected. With `browsers`, crawlers of networks get the file itself, because not all of them
   * follow redirects.
   */
  readonly readers: 'all' | 'browsers';
  /**
   * Returns a short-lived URL of the storage. It expires no later than the link, which has this many seconds left.
   *
   * @param disposition the header `Content-Disposition` of the responses
   */
  addressOf(
    fullName: string,
    method: 'GET' | 'HEAD',
    secondsLeft: number | null,
    disposition?: string,
  ): Promise<string>;
}

export interface ServiceParts {
  readonly ports: Resources;
  /** The URL that clients use, without a trailing slash. `base_url` is this URL followed by `/v1`. */
  readonly publicUrl: string;
  /**
   * The origin of the pages that may make changes with a session's cookie. If it is null, the origin to which the
   * request was sent is used.
   */
  readonly ownOrigin: string | null;
  /** Whether pages of another origin may call the service. They need a token. */
  readonly allowsOrigin: (origin: string) => boolean;
  /** The version of the program. */
  readonly version: string;
  /** Whether a proxy in front of the service supplies the client's address and the request's id. */
  readonly trustProxy: boolean;
  /** The address of a connection's other end; null if the client has already disconnected. */
  readonly peerOf: (request: Request) => string | null;
  readonly bodyTimeouts: BodyTimeouts;
  readonly imports: ImportSettings;
  readonly feed: EventFeed;
  /** Receives presigned uploads; null if the storage itself does. */
  readonly presignReceiver: PresignReceiver | null;
  /** The part of links before `full_name`, without a trailing slash. */
  readonly mediaBase: string;
  /**
   * What the operator's settings determine about links: their scheme, whether they can be on the public internet, and
   * whether crawlers are redirected.
   */
  readonly links: LinkPlace;
  /** Redirects readers to the storage; null if this service serves all files itself. */
  readonly redirects: Redirects | null;
  readonly limits: RequestLimits;
  readonly observer: RequestObserver;
}

export interface Service extends ServiceParts {
  /** The memory of answers that clients haven't read yet. */
  readonly answers: MemoryShares;
  readonly bodies: MemoryShares;
  readonly unreadBodies: MemoryShares;
  readonly strangers: MemoryShares;
  readonly returning: MemoryShares;
  readonly lingering: Lingering;
  /** Reports a failed sign-in with the OpenID provider. Does so at most once a second, because anyone can cause one. */
  readonly signInFailed: (cause: unknown, request: string) => void;
  /** Records the use of a token. The caller doesn't wait for that. */
  readonly recordUse: (token: AccessToken) => void;
  readonly recordSessionUse: (session: Session) => void;
  readonly auditLog: AuditLog;
}

const SIGN_IN_REPORT_INTERVAL = 1_000;

export function createService(parts: ServiceParts): Service {
  const { ports, observer } = parts;
  const { clock, tokens, sessions } = ports;
  let signInReportedAt = Number.NEGATIVE_INFINITY;
  const reportFailure = (what: string) => (cause: unknown, id: Uuid) =>
    observer.warning(`the last use of a ${what} could not be recorded`, { [what]: id, cause });
  return {
    ...parts,
    answers: new MemoryShares(ANSWERS),
    bodies: new MemoryShares(BODIES),
    unreadBodies: new MemoryShares(UNREAD_BODIES),
    strangers: new MemoryShares(STRANGERS),
    returning: new MemoryShares(RETURNING),
    lingering: new Lingering(),
    signInFailed(cause, id) {
      const now = clock.elapsed();
      if (now - signInReportedAt < SIGN_IN_REPORT_INTERVAL) return;
      signInReportedAt = now;
      observer.warning('a sign-in by the OpenID provider failed', { cause, id });
    },
    recordUse: recordUse(tokens, clock, reportFailure('token')),
    recordSessionUse: recordUse(sessions, clock, reportFailure('session')),
    auditLog: new AuditLog(ports, (cause, lost) =>
      observer.warning('the audit log could not be written', { lost, cause }),
    ),
  };
}

export const baseUrl = (service: Service): string => `${service.publicUrl}/v1`;
