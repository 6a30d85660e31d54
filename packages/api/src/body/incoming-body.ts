import { unreadBytesOf } from '../memory-shares.ts';
import type { RequestFacts } from '../request-facts.ts';
import type { Service } from '../service.ts';
import type { BodyReader } from './gathered-bytes.ts';

/**
 * Bun itself discards the unread rest of a body with a declared length if the rest has at most this many bytes. The
 * answer is then complete immediately, and the connection is kept open.
 */
const MAX_LEFT_TO_BUN = 64 * 1024 * 1024;

/**
 * Matches the `Connection` header of a client that closes the connection after the response, such as superagent, or
 * nginx by default.
 */
const CLOSES = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** The request to which the body belongs, the caller for whom memory is reserved, and the number of bytes received. */
interface Owned {
  readonly facts: Pick<RequestFacts, 'request' | 'address'>;
  readonly holder: string | null;
  bytesIn: number;
}

/** The body of a request. Keeps track of the memory that it takes, and of how far it has been read. */
export class IncomingBody {
  readonly request: Request;
  #hasBegun = false;
  #hasEnded = false;
  #reader: BodyReader | null = null;
  #releaseUnread: (() => void) | null = null;
  readonly #held: (() => void)[] = [];

  constructor(
    private readonly service: Pick<Service, 'bodies' | 'unreadBodies' | 'strangers' | 'bodyTimeouts'>,
    private readonly record: Owned,
  ) {
    this.request = record.facts.request;
  }

  get timeouts(): Service['bodyTimeouts'] {
    return this.service.bodyTimeouts;
  }

  /**
   * Reserves memory for bytes that arrive before reading begins. During a single `await`, 1,500 bodies of 1 MB may
   * arrive.
   *
   * @param caller a token, a workspace, or a URL that we signed; null for an unauthenticated client
   * @throws Refusal `busy`
   */
  expect(caller: string | null): void {
    if (this.#hasBegun) return;
    this.#releaseUnread?.();
    const shares = caller === null ? this.service.strangers : this.service.unreadBodies;
    this.#releaseUnread = shares.take(caller ?? this.record.facts.address, unreadBytesOf(this.request));
  }

  /** Reserves memory until the request is answered. @throws Refusal `busy` */
  hold(bytes: number): void {
    const { holder, facts } = this.record;
    const release =
      holder === null ? this.service.strangers.take(facts.address, bytes) : this.service.bodies.take(holder, bytes);
    if (release) this.#held.push(release);
  }

  /**
   * Begins reading. Call {@link end} or {@link leave} afterwards.
   *
   * @returns the only reader of the body; null if there is no body
   */
  begin(): BodyReader | null {
    this.#hasBegun = true;
    this.#releaseUnread?.();
    this.#reader ??= this.request.body?.getReader() ?? null;
    return this.#reader;
  }

  received(bytes: number): void {
    this.record.bytesIn += bytes;
  }

  /** Marks the body as read completely. */
  end(): void {
    this.#hasEnded = true;
  }

  /**
   * Stops reading. The rest of the body is discarded immediately, or after the response if {@link mayLinger} is true.
   */
  leave(): void {
    if (!this.mayLinger) void this.#reader?.cancel().catch(() => undefined);
  }

  /**
   * Whether more bytes may follow that the service itself has to discard. Bun doesn't discard them if it closes the
   * connection after the response. Otherwise, it limits neither their number nor the time, and takes as long for a
   * small chunk as for a large one.
   */
  get mayLinger(): boolean {
    const { headers } = this.request;
    if (this.#hasEnded) return false;
    const left = Number(headers.get('content-length')) - this.record.bytesIn;
    if (headers.has('transfer-encoding') || left > MAX_LEFT_TO_BUN) return true;
    return left > 0 && CLOSES.test(headers.get('connection') ?? '');
  }

  release(): void {
    this.#releaseUnread?.();
    for (let release = this.#held.pop(); release; release = this.#held.pop()) release();
  }
}
