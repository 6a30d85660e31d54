import {
  notFound,
  type Piece,
  Refusal,
  type ResumableUpload,
  UPLOAD_LOCKED,
  type Uuid,
  WRITER_SILENCE,
} from '@postshelf/domain';
import { keepRenewing } from '../keep-renewing.ts';
import type { Ports, Shared } from '../ports.ts';
import { advising } from '../trash/trash.ts';

type AppendPorts = Pick<Ports, 'workspaces' | 'presign' | 'resumable' | 'resumableStorage' | 'clock' | 'ids'> &
  Pick<Shared, 'shares'>;

export interface AppendRequest {
  /** Where the client goes on. */
  readonly offset: number;
  /** Ends early once the signal is aborted. Each chunk is valid until the next is requested. */
  body(stop: AbortSignal): AsyncIterable<Uint8Array>;
  /** Whether the bytes are those that were declared; asked after the last one, and nothing is kept before. */
  readonly isRight?: () => boolean;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export const locked = (): Refusal => new Refusal({ code: 'locked', message: UPLOAD_LOCKED });

/**
 * Adds a body to an upload (tus 1.0, "PATCH"). What came of one that ends early stays, unless its checksum is to be
 * compared. There is one writer: another may go on once this one is silent for {@link WRITER_SILENCE}, and then this one
 * ends.
 *
 * @returns the offset behind the last byte
 * @throws Refusal `locked`, `conflict` at another offset, `too_large` beyond the announced size, `busy`, `storage_low`;
 * what the body throws
 */
export async function appendToUpload(
  ports: AppendPorts,
  { id, workspaceId, size }: ResumableUpload,
  { offset, body, isRight, signal }: AppendRequest,
): Promise<number | 'wrong_checksum'> {
  const writer = await Writer.begin(ports, id);
  try {
    // Read under the lease, as another may have written before.
    const upload = await ports.resumable.find(id);
    if (!upload) throw notFound();
    if (upload.received !== offset) throw wrongOffset(upload.received);
    const releaseSlot = await ports.shares.take('uploads', workspaceId, signal);
    const pieces = new KeptPieces(ports, writer, id, offset);
    try {
      const chunks = limited(writer.listen(body(writer.lost)), size - offset);
      const keep = isRight ? pieces.hold : pieces.add;
      const last = (await ports.resumable.lastPiece(id)) ?? undefined;
      await advising(ports, workspaceId, ports.resumableStorage.append(id, offset, chunks, keep, last));
      if (writer.lost.aborted) throw locked();
      if (isRight && !isRight()) return 'wrong_checksum';
      await pieces.addHeld();
      return pieces.received;
    } finally {
      await ports.resumableStorage.drop(id, pieces.unwanted);
      releaseSlot();
    }
  } finally {
    await writer.end();
  }
}

export const beyondLength = (): Refusal =>
  new Refusal({ code: 'too_large', message: 'The file is longer than its Upload-Length.' });

const wrongOffset = (received: number): Refusal =>
  new Refusal({ code: 'conflict', message: `The upload continues at ${received}.`, retryAfter: 1 });

async function* limited(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let left = most;
  for await (const chunk of body) {
    left -= chunk.length;
    if (left < 0) throw beyondLength();
    yield chunk;
  }
}

/** Holds the lease of an upload as long as bytes come. */
class Writer {
  readonly #lost = new AbortController();
  readonly #stop: () => Promise<void>;
  /** When the client was last waited for, by {@link Ports.clock}'s elapsed time; null: it isn't. */
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

  /** Aborted once another has the lease. */
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

  /** Of a silent writer it isn't: then it ends soon after the last byte. */
  async #renew(): Promise<void> {
    const { clock, resumable } = this.ports;
    const silence = this.#waitingSince === null ? 0 : clock.elapsed() - this.#waitingSince;
    if (silence >= WRITER_SILENCE) return;
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
  received: number;

  constructor(
    private readonly ports: Pick<Ports, 'resumable' | 'clock'>,
    private readonly writer: Pick<Writer, 'owner'>,
    private readonly id: Uuid,
    /** Where the request begins. */
    private readonly offset: number,
  ) {
    this.received = offset;
  }

  readonly add = async (piece: Piece): Promise<void> => this.#addAll([piece]);

  readonly hold = async (piece: Piece): Promise<void> => {
    this.#held.set(piece.start, piece);
  };

  async addHeld(): Promise<void> {
    const held = [...this.#held.values()];
    if (held.length > 0) await this.#addAll(held);
  }

  /** Stored, and not added. A piece that has grown has bytes of requests before this one. */
  get unwanted(): readonly Piece[] {
    const isUnwanted = ({ name, start }: Piece): boolean => !this.#added.has(name) && start >= this.offset;
    return [...this.#held.values(), ...this.#refused].filter(isUnwanted);
  }

  async #addAll(pieces: readonly Piece[]): Promise<void> {
    const { resumable, clock } = this.ports;
    if (!(await resumable.advance(this.id, this.writer.owner, this.received, pieces, clock.now()))) {
      this.#refused.push(...pieces);
      throw locked();
    }
    for (const { name, start, size } of pieces) {
      this.#added.add(name);
      this.received = start + size;
    }
  }
}
