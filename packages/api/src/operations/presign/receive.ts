import { createHash, type Hash } from 'node:crypto';
import { type PresignedUpload, type PresignReceiver, parseUuid, Refusal } from '@postshelf/domain';
import { readBody } from '../../body/stream.ts';
import type { RequestContext } from '../../context.ts';

/**
 * Uploads to one address at once, in this process. A client needs one, and a second when it retries while the first hangs.
 * Each takes as much of the disk as its address allows until the last complete one replaces the others.
 */
const MAX_UNDER_WAY = 4;

const TOO_MANY = 'Too many files are on their way to this address.';

/** Seconds. */
const RETRY_AFTER = 5;

const forbidden = (message: string): Refusal => new Refusal({ code: 'forbidden', message });

/**
 * `PUT /uploads/{id}`: the file of a presigned upload, where the storage is a folder. Keeps the promises of an address
 * that S3 signs: this id, size and type, until it expires, and only while the item waits for its file. Answers with S3's
 * `ETag` of an object that came in one piece, the MD5 of its bytes: clients made for S3 wait for one, and may compare it.
 */
export function presignRoute(receiver: PresignReceiver): (context: RequestContext, id: string) => Promise<Response> {
  const underWay = new UnderWay(MAX_UNDER_WAY);
  return async (context, id) => {
    const { service, request } = context;
    const upload = readUpload(receiver, request, id);
    const item = upload && (await service.ports.media.find(upload.id))?.item;
    if (!upload || item?.status !== 'temporary') {
      throw forbidden('The upload address is not valid, or not any more.');
    }
    const mismatch = forbidden(`The upload must be ${upload.size} bytes of ${upload.type}.`);
    // As in S3: the length is announced, and the type is exactly the one that was signed.
    const { headers } = request;
    const fits = headers.get('content-type') === upload.type && headers.get('content-length') === String(upload.size);
    if (!fits) throw mismatch;
    const md5 = createHash('md5');
    const received = await underWay.run(upload.id, async () => {
      const giveBack = await context.takeUploadSlot(item.workspaceId);
      return receiver.receive(upload, hashed(readBody(context, { lent: true }), md5)).finally(giveBack);
    });
    if (!received) throw new Refusal({ code: 'too_many_requests', message: TOO_MANY, retryAfter: RETRY_AFTER });
    if (received.result === 'wrong_size') throw mismatch;
    return new Response(null, { status: 200, headers: { ETag: `"${md5.digest('hex')}"` } });
  };
}

/** The same chunks, each counted into the hash as it is taken. */
async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

function readUpload(receiver: PresignReceiver, request: Request, id: string): PresignedUpload | null {
  const uuid = parseUuid(id);
  return uuid && receiver.verify(uuid, Object.fromEntries(new URL(request.url).searchParams));
}

/** Limits the work that is under way in this process, by name. */
export class UnderWay {
  readonly #counts = new Map<string, number>();

  /** @param most of one name at once */
  constructor(private readonly most: number) {}

  /**
   * Does the work.
   *
   * @returns null, and the work is not begun, when the most is under way already
   */
  async run<T>(name: string, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.most) return null;
    this.#counts.set(name, count + 1);
    try {
      return { result: await work() };
    } finally {
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left > 0) this.#counts.set(name, left);
      else this.#counts.delete(name);
    }
  }
}
