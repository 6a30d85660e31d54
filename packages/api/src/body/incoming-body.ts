import type { Facts } from '../facts.ts';
import { unreadBytesOf } from '../memory-shares.ts';
import type { Service } from '../service.ts';

/** Whose body it is, and how much of it has come. */
interface Owned {
  readonly facts: Pick<Facts, 'request' | 'address'>;
  readonly token: string | null;
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
    private readonly service: Pick<Service, 'bodies' | 'unreadBodies' | 'bodyTimeouts'>,
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
   * @param caller what the request says of its caller
   * @throws Refusal `busy`
   */
  expect(caller: string | null): void {
    if (this.#hasBegun || this.#releaseUnread) return;
    this.#releaseUnread = this.service.unreadBodies.take(caller, unreadBytesOf(this.request));
  }

  hold(bytes: number): void {
    const release = this.service.bodies.take(this.record.token ?? this.record.facts.address, bytes);
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
