import { createHash, type Hash } from 'node:crypto';
import { type PresignedUpload, type PresignReceiver, parseUuid, Refusal } from '@postshelf/domain';
import type { Service } from '../../service.ts';
import { readBody } from '../../body/stream.ts';
import { UnderWay } from '../../rest/under-way.ts';

/**
 * Files on their way to one address at once, in this process. A client needs one, and a second where it tries again while
 * the first hangs; each may fill as much of the disk as its ticket says before the last one whole replaces the others.
 */
const MAX_UNDER_WAY = 4;

export const uploadsUnderWay = (): UnderWay => new UnderWay(MAX_UNDER_WAY);

const TOO_MANY = 'Too many files are on their way to this address.';

/** Seconds. */
const RETRY_AFTER = 5;

const forbidden = (message: string): Refusal => new Refusal({ code: 'forbidden', message });

/**
 * `PUT /uploads/{id}`: the file of a presigned upload, where the storage is a folder. Keeps the promises of an address
 * that S3 signs: this id, size and type, until it expires, and only while the item waits for its file. Answers with S3's
 * `ETag` of an object that came in one piece, the MD5 of its bytes: clients made for S3 wait for one, and may compare it.
 */
export async function receiveUpload(
  service: Service,
  uploads: PresignReceiver,
  underWay: UnderWay,
  request: Request,
  id: string,
): Promise<Response> {
  const ticket = readTicket(uploads, request, id);
  if (!ticket || !(await service.ports.presign.find(ticket.id))) {
    throw forbidden('The upload address is not valid, or not any more.');
  }
  // As S3 does it: the length is announced, and the type is to the letter what was signed.
  const { headers } = request;
  const fits = headers.get('content-type') === ticket.type && headers.get('content-length') === String(ticket.size);
  if (!fits) throw forbidden(`The upload must be ${ticket.size} bytes of ${ticket.type}.`);
  const md5 = createHash('md5');
  const received = await underWay.run(ticket.id, async () => {
    const leave = await service.door.takePlace(request);
    return uploads.receive(ticket, hashed(readBody(request, service.bodyPace), md5)).finally(leave);
  });
  if (!received) throw new Refusal({ code: 'too_many_requests', message: TOO_MANY, retryAfter: RETRY_AFTER });
  if (received.result === 'wrong_size') throw forbidden(`The upload must be ${ticket.size} bytes of ${ticket.type}.`);
  return new Response(null, { status: 200, headers: { ETag: `"${md5.digest('hex')}"` } });
}

/** The same chunks, each counted into the hash as it is taken. */
async function* hashed(body: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

function readTicket(uploads: PresignReceiver, request: Request, id: string): PresignedUpload | null {
  const uuid = parseUuid(id);
  return uuid && uploads.verify(uuid, Object.fromEntries(new URL(request.url).searchParams));
}
