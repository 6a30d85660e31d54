import {
  notFound,
  type Piece,
  Refusal,
  type ResumableUpload,
  UPLOAD_LOCKED,
  type Uuid,
  WRITER_SILENCE,
  WRONG_CHECKSUM,
} from '@postshelf/domain';
import { keepRenewing } from '../keep-renewing.ts';
import type { Ports, Shared } from '../ports.ts';
import { advising } from '../trash/trash.ts';

type AppendPorts = Pick<Ports, 'workspaces' | 'presign' | 'resumable' | 'resumableStorage' | 'clock' | 'ids'> &
  Pick<Shared, 'shares'>;

export interface AppendRequest {
  /** The offset at which the client continues. */
  readonly offset: number;
  /** Iterates the bytes; ends early if the signal is aborted. Each chunk is valid until the next is requested. */
  body(stop: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Whether the bytes match the declared checksum. It is called after the last chunk; nothing is added to the upload
   * before then.
   */
  readonly isRight?: () => boolean;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export const locked = (): Refusal => new Refusal({ code: 'locked', message: UPLOAD_LOCKED });

/**
 * Appends a body to an upload (tus 1.0, "PATCH"). If the body ends early, the bytes that arrived are kept, unless the
 * request declared a checksum, which can't be verified then. An upload has one writer at a time. Once a writer has been
 * silent for {@link WRITER_SILENCE}, another request may continue the upload, and the silent writer is refused.
 *
 * @returns the offset after the last byte
 * @throws Refusal `locked`, `conflict` if the upload has another offset, `too_large` beyond the announced size,
 *   `wrong_checksum`, `busy`, `storage_low`; whatever the body throws
 */
export async function appendToUpload(
  ports: AppendPorts,
  { id, workspaceId, size }: ResumableUpload,
  { offset, body, isRight, signal }: AppendRequest,
): Promise<number> {
  const writer = await Writer.begin(ports, id);
  try {
    // The upload is read again under the lease, because another writer may have added bytes before this one got the
    // lease.
    const upload = await ports.resumable.find(id);
    if (!upload) throw notFound();
    if (upload.received !== offset) throw wrongOffset(upload.received);
    const last = await ports.resumable.lastPiece(id);
    const releaseSlot = await ports.shares.take('uploads', workspaceId, signal);
    const pieces = new KeptPieces(ports, writer, id, offset, last);
    try {
      const chunks = limited(writer.listen(body(writer.lost)), size - offset);
      const keep = isRight ? pieces.hold : pieces.add;
      await advising(ports, workspaceId, ports.resumableStorage.append(id, offset, chunks, keep, last));
      if (writer.lost.aborted) throw locked();
      if (isRight && !isRight()) throw wrongChecksum();
      await pieces.addHeld();
      return pieces.received;
    } finally {
      releaseSlot();
      await ports.resumableStorage.discard(id, pieces.unwanted);
    }
  } finally {
    await writer.end();
  }
}

export const beyondLength = (): Refusal =>
  new Refusal({ code: 'too_large', message: 'The file is longer than its Upload-Length.' });

export const wrongChecksum = (): Refusal => new Refusal({ code: 'wrong_checksum', message: WRONG_CHECKSUM });

export const wrongOffset = (received: number): Refusal =>
  new Refusal({ code: 'conflict', message: `The upload continues at offset ${received}.`, retryAfter: 1 });

/**
 * Limits the length of a body. Its last chunk is held back until the body ends, because a file that turns out to be too
 * long must not look complete.
 */
async function* limited(body: AsyncIterable<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let left = max;
  let last: Uint8Array | null = null;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) throw beyondLength();
    if (left > 0) yield chunk;
    // The chunk is copied, because it is valid only until the next one is requested.
    else last ??= new Uint8Array(chunk);
  }
  if (last) yield last;
}

/** Holds the lease of an upload for as long as bytes arrive. */
class Writer {
  readonly #lost = new AbortController();
  readonly #stop: () => Promise<void>;
  /**
   * When the writer began to wait for the client's next chunk, on the clock of `elapsed`; null if it isn't waiting for
   * one.
   */
  #waitingSince: number | null = null;

  private constructor(
    private readonly ports: Pick<Ports, 'presign' | 'resumable' | 'clock'>,
    private readonly id: Uuid,
    readonly owner: string,
  ) {
    this.#stop = keepRenewing(WRITER_SILENCE, () => this.#renew());
  }

  /** @throws Refusal `locked` */
  static async begin(ports: Pick<Ports, 'presign' | 'resumable' | 'clock' | 'ids'>, id: Uuid): Promise<Writer> {
    const [owner, now] = [ports.ids.next(), ports.clock.now()];
    if (!(await ports.presign.claim(id, { owner, until: now + WRITER_SILENCE }, now))) throw locked();
    return new Writer(ports, id, owner);
  }

  /** Aborted once another writer has the lease. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async *listen(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { clock } = this.ports;
    try {
      this.#waitingSince = clock.elapsed();
      for await (const chunk of body) {
        this.#waitingSince = null;
        yield chunk;
        if (this.lost.aborted) throw locked();
        this.#waitingSince = clock.elapsed();
      }
    } finally {
      this.#waitingSince = null;
    }
  }

  /**
   * Renews the lease until {@link WRITER_SILENCE} after the last byte, so that the lease of a silent writer ends and
   * another writer may take it.
   */
  async #renew(): Promise<void> {
    const { clock, resumable } = this.ports;
    const silence = this.#waitingSince === null ? 0 : Math.ceil(clock.elapsed() - this.#waitingSince);
    if (!(await resumable.renew(this.id, this.owner, clock.now() + WRITER_SILENCE - silence))) this.#lost.abort();
  }

  async end(): Promise<void> {
    await this.#stop();
    await this.ports.presign.release(this.id, this.owner);
  }
}

/** The pieces that one request stores. */
class KeptPieces {
  readonly #held = new Map<number, Piece>();
  readonly #refused: Piece[] = [];
  readonly #added = new Set<string>();
  #isReplaced = false;

  constructor(
    private readonly ports: Pick<Ports, 'resumable' | 'clock'>,
    private readonly writer: Pick<Writer, 'owner'>,
    private readonly id: Uuid,
    /** The offset up to which the upload has bytes; at first, the offset at which the request starts. */
    public received: number,
    private readonly last: Piece | null,
  ) {}

  readonly add = async (piece: Piece): Promise<void> => this.#addAll([piece]);

  readonly hold = async (piece: Piece): Promise<void> => {
    this.#held.set(piece.start, piece);
  };

  async addHeld(): Promise<void> {
    const held = [...this.#held.values()];
    // If adding the pieces throws, the database may have committed them nonetheless, so they must not be dropped then.
    this.#held.clear();
    if (held.length > 0) await this.#addAll(held);
  }

  /**
   * The stored pieces that certainly aren't part of the upload: those that weren't added to it, and the last piece if a
   * new one replaced it.
   */
  get unwanted(): readonly Piece[] {
    const { last } = this;
    const stored = [...this.#held.values(), ...this.#refused];
    if (last && this.#isReplaced) stored.push(last);
    return stored.filter(({ name }) => !this.#added.has(name) && (name !== last?.name || this.#isReplaced));
  }

  async #addAll(pieces: readonly Piece[]): Promise<void> {
    const { resumable, clock } = this.ports;
    if (!(await resumable.advance(this.id, this.writer.owner, this.received, pieces, clock.now()))) {
      this.#refused.push(...pieces);
      throw locked();
    }
    for (const { name, start, size } of pieces) {
      this.#added.add(name);
      if (start === this.last?.start && name !== this.last.name) this.#isReplaced = true;
      this.received = start + size;
    }
  }
}
