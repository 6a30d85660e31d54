import type { ImportSettings, Ports } from '@postshelf/application';
import type { AccessToken, PresignReceiver, Uuid } from '@postshelf/domain';

/** How long a client may take over a request body. */
export interface BodyPace {
  /** Milliseconds without a byte after which a body is given up: 408. */
  readonly idleTimeout: number;
  /** Bytes a second, over each {@link idleTimeout} of waiting for the client, below which it is given up: 408. */
  readonly minimumRate: number;
  /**
   * Hears the length of every chunk of a request's body, in bytes, and about how many bytes of memory it leaves to be
   * collected: as many, unless that is said.
   */
  readonly onChunk?: (bytes: number, request: Request, garbage?: number) => void;
}

/** Whoever runs the API stands at its door: hears what a request turns out to be, and may turn it away. */
export interface Door {
  /** The request fell on this route, parameters in braces. Not called for one that falls on none. */
  enter(request: Request, route: string): void;
  /**
   * A caller with a good token asks for one operation; a batch over tRPC calls this for each of its calls.
   *
   * @returns null where nothing has to be waited for
   * @throws Refusal `too_many_requests`
   */
  admit(request: Request, token: AccessToken): Promise<void> | null;
  /**
   * A place to receive files in, of which there are so many; waits a while for one.
   *
   * @returns what gives the place back
   * @throws Refusal `busy`
   */
  takePlace(request: Request): Promise<() => void>;
}

/** Where the API tells the operator what no caller may hear. */
export interface Reporter {
  /** A fault of ours that ended a request with 500. */
  fault(cause: unknown, request: Request): void;
  /** The object of an active item isn't there. */
  missing(id: Uuid): void;
  /** Something went wrong beside a request that went well. */
  warning(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** What every request works with. */
export interface Service {
  readonly ports: Ports;
  /** The service's root as clients reach it, without a trailing slash; `base_url` is this + `/v1`. */
  readonly publicUrl: string;
  readonly bodyPace: BodyPace;
  readonly imports: ImportSettings;
  /** Takes files sent to addresses of this service; null where the storage takes them itself. */
  readonly signedUploads: PresignReceiver | null;
  /** Where links begin: `full_name` follows. No trailing slash. */
  readonly mediaBase: string;
  /** A short-lived address of an object in the storage, to send readers of a link to; null: this service streams it. */
  readonly redirectTo: ((fullName: string, method: 'GET' | 'HEAD') => Promise<string>) | null;
  /** Told of the token of every operation that asks with a good one; returns at once. */
  readonly noteUse: (token: AccessToken) => void;
  readonly report: Reporter;
  readonly door: Door;
}

export const baseUrl = (service: Service): string => `${service.publicUrl}/v1`;
