import type { Facts } from '../facts.ts';
import { unreadBytesOf } from '../memory-shares.ts';
import type { Service } from '../service.ts';

/** Whose body it is, and how much of it has come. */
interface Owned {
  readonly facts: Pick<Facts, 'request' | 'address'>;
  readonly holder: string | null;
  bytesIn: number;
}

/** The body of a request: the memory that it takes, and how far it was read. */
export class IncomingBody {
  readonly request: Request;
  #hasBegun = false;
  #hasEnded = false;
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
   * @param caller a token, a workspace or an address that we signed; null for a stranger
   * @throws Refusal `busy`
   */
  expect(caller: string | null): void {
    if (this.#hasBegun) return;
    this.#releaseUnread?.();
    const shares = caller === null ? this.service.strangers : this.service.unreadBodies;
    this.#releaseUnread = shares.take(caller ?? this.record.facts.address, unreadBytesOf(this.request));
  }

  /** Until it is answered. @throws Refusal `busy` */
  hold(bytes: number): void {
    const { holder, facts } = this.record;
    const release =
      holder === null ? this.service.strangers.take(facts.address, bytes) : this.service.bodies.take(holder, bytes);
    if (release) this.#held.push(release);
  }

  begin(): void {
    this.#hasBegun = true;
    this.#releaseUnread?.();
  }

  received(bytes: number): void {
    this.record.bytesIn += bytes;
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Whether the client may still be sending a body whose length it hasn't announced. */
  get mayBeComing(): boolean {
    return !this.#hasEnded && this.request.headers.has('transfer-encoding');
  }

  release(): void {
    this.#releaseUnread?.();
    for (const release of this.#held.splice(0)) release();
  }
}
