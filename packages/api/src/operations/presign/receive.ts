import { createHash } from 'node:crypto';
import { type PresignedUpload, type PresignReceiver, parseUuid, Refusal } from '@postshelf/domain';
import { hashed } from '../../body/hashed.ts';
import { readBody } from '../../body/stream.ts';
import type { Exchange } from '../../exchange.ts';
import { recordDone } from '../audit/record.ts';

/**
 * Maximum number of concurrent uploads to one URL. A client needs one upload, and a second one if the first hangs. Each
 * may occupy as much of the disk as its URL allows.
 */
const MAX_UNDER_WAY = 4;

const TOO_MANY = 'Too many files are being sent to this address.';

const RETRY_AFTER = 5;

const forbidden = (message: string): Refusal => new Refusal({ code: 'forbidden', message });

/**
 * Serves `PUT /uploads/{id}`, if the storage is a folder. Enforces the terms of the URL as S3 does: the URL is valid
 * for this id, size and type, until it expires, and only while the item waits for its file. The `ETag` is the MD5 of
 * the bytes, because clients made for S3 may compare it.
 */
export function presignRoute(receiver: PresignReceiver): (exchange: Exchange, id: string) => Promise<Response> {
  const underWay = new ConcurrencyLimit(MAX_UNDER_WAY);
  return async ({ service, facts, body }, id) => {
    const { request } = facts;
    const upload = readUpload(receiver, request, id);
    if (upload) body.expect(facts.address);
    const item = upload && (await service.ports.media.find(upload.id))?.item;
    if (!upload || item?.status !== 'temporary') {
      throw forbidden('The upload address is invalid or has expired.');
    }
    const mismatch = forbidden(`The upload must be ${upload.size} bytes of ${upload.type}.`);
    // As in S3, the request must declare its length, and the type must be the signed one.
    const { headers } = request;
    if (!headers.has('content-length')) throw forbidden(`The upload needs a Content-Length of ${upload.size}.`);
    const fits = headers.get('content-type') === upload.type && headers.get('content-length') === String(upload.size);
    if (!fits) throw mismatch;
    const md5 = createHash('md5');
    const received = await underWay.run(upload.id, async () => {
      const releaseSlot = await service.ports.shares.take('uploads', item.workspaceId, facts.signal);
      return receiver.receive(upload, hashed(readBody(body, { lent: true }), md5)).finally(releaseSlot);
    });
    if (!received) throw new Refusal({ code: 'too_many_requests', message: TOO_MANY, retryAfter: RETRY_AFTER });
    if (received.result === 'wrong_size') throw mismatch;
    const done = { action: 'media.receive', workspaceId: item.workspaceId, subjects: [upload.id] };
    recordDone({ service, facts }, null, done);
    return new Response(null, { status: 200, headers: { ETag: `"${md5.digest('hex')}"` } });
  };
}

function readUpload(receiver: PresignReceiver, request: Request, id: string): PresignedUpload | null {
  const uuid = parseUuid(id);
  return uuid && receiver.verify(uuid, Object.fromEntries(new URL(request.url).searchParams));
}

/** Limits how much work with the same name runs at a time in this process. */
export class ConcurrencyLimit {
  readonly #counts = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** Runs the work. @returns null, without starting the work, if the maximum number is already running */
  async run<T>(name: string, work: () => Promise<T>): Promise<{ readonly result: T } | null> {
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.max) return null;
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
