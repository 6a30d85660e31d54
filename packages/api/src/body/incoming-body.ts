import type { Facts } from '../facts.ts';
import { unreadBytesOf } from '../memory-shares.ts';
import type { Service } from '../service.ts';
import type { BodyReader } from './gathered-bytes.ts';

/**
 * Maximum announced bytes that Bun may discard. The answer is then complete immediately, and the connection is kept.
 */
const MAX_LEFT_TO_BUN = 64 * 1024 * 1024;

/** The client closes the connection after the answer: superagent, and nginx unless it is configured otherwise. */
const CLOSES = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;

/** The request of the body, the holder of its memory, and the number of bytes received. */
interface Owned {
  readonly facts: Pick<Facts, 'request' | 'address'>;
  readonly holder: string | null;
  bytesIn: number;
}

/** The body of a request: the memory that it takes, and how far it has been read. */
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
   * Reserves memory for what arrives before reading begins: while anything is awaited, 1,500 bodies of 1 MB may arrive.
   *
   * @param caller a token, a workspace or an address that we signed; null for an unauthenticated client
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

  /** Begins reading. @returns the only reader of the body, for {@link leave} or {@link end}; null without a body */
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

  /** Stops reading. Bytes that still arrive are discarded, at the latest after the answer. */
  leave(): void {
    if (!this.mayLinger) void this.#reader?.cancel().catch(() => undefined);
  }

  /**
   * Whether bytes may follow that Bun doesn't discard, because it closes such a connection, or shouldn't discard: it
   * sets no limit on their number or time, and each chunk costs it as much as a large one.
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
