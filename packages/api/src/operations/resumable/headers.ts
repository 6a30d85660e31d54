import { wrongChecksum } from '@postshelf/application';
import { invalid, MAX_FILE_BYTES, Refusal } from '@postshelf/domain';
import { mediaTypeOf } from '../../body/json.ts';

export const TUS_VERSION = '1.0.0';

export const CHUNK_TYPE = 'application/offset+octet-stream';

/** Capabilities that a client may query without a token (tus 1.0, "OPTIONS"). */
export const ABILITIES = {
  'Tus-Version': TUS_VERSION,
  'Tus-Extension': 'creation,creation-with-upload,expiration,termination,checksum',
  'Tus-Max-Size': String(MAX_FILE_BYTES),
  'Tus-Checksum-Algorithm': 'sha1,sha256',
} as const;

/** Requires the version of the protocol that the service supports. @throws Refusal `unsupported_version` */
export function requireTusVersion({ headers }: Request): void {
  if (headers.get('tus-resumable') === TUS_VERSION) return;
  const message = `The Tus-Resumable header must be ${TUS_VERSION}.`;
  throw new Refusal({ code: 'unsupported_version', message, supported: TUS_VERSION });
}

const COUNT = /^\d{1,15}$/;

const malformed = (message: string): Refusal => new Refusal({ code: 'malformed', message });

/**
 * Reads the length of a new upload.
 *
 * @throws Refusal `malformed`, `too_large` above 2 GB, `invalid` on `upload_length` for an empty file
 */
export function readUploadLength({ headers }: Request): number {
  const text = headers.get('upload-length');
  if (text === null && headers.has('upload-defer-length'))
    throw malformed('Upload-Defer-Length is not supported. Send Upload-Length.');
  if (headers.has('upload-concat')) throw malformed('Upload-Concat is not supported. Send the file as one upload.');
  if (text === null || !COUNT.test(text)) throw malformed('The Upload-Length header must be a number of bytes.');
  const length = Number(text);
  if (length === 0) throw invalid('upload_length', 'The upload length must be at least 1.');
  if (length > MAX_FILE_BYTES)
    throw new Refusal({ code: 'too_large', message: 'The file must not be larger than 2 GB.' });
  return length;
}

/** Reads the offset of the request's bytes. @throws Refusal `malformed` */
export function readUploadOffset({ headers }: Request): number {
  const text = headers.get('upload-offset');
  if (text === null || !COUNT.test(text)) throw malformed('The Upload-Offset header must be a number of bytes.');
  return Number(text);
}

/** Whether the request's content type says that the body contains bytes of the file. */
export const isChunk = (request: Request): boolean => mediaTypeOf(request) === CHUNK_TYPE;

/** Requires that the request's body contains bytes of the file. @throws Refusal `unsupported_media_type` */
export function requireChunk(request: Request): void {
  if (!isChunk(request)) throw new Refusal({ code: 'unsupported_media_type', accepted: [CHUNK_TYPE] });
}

const DIGEST_BYTES = { sha1: 20, sha256: 32 } as const;

export interface Checksum {
  readonly algorithm: keyof typeof DIGEST_BYTES;
  readonly digest: Buffer;
}

/**
 * Reads the checksum (tus 1.0, "Checksum"). Returns null if there is none.
 *
 * @throws Refusal `malformed` for an unsupported algorithm, `wrong_checksum` for a checksum that no bytes can have
 */
export function readChecksum({ headers }: Request): Checksum | null {
  const text = headers.get('upload-checksum');
  if (text === null) return null;
  const [algorithm = '', base64 = '', ...rest] = text.split(' ');
  if (algorithm !== 'sha1' && algorithm !== 'sha256')
    throw malformed(`The algorithm of Upload-Checksum must be one of ${ABILITIES['Tus-Checksum-Algorithm']}.`);
  const digest = Buffer.from(base64, 'base64');
  if (rest.length > 0 || digest.length !== DIGEST_BYTES[algorithm]) throw wrongChecksum();
  return { algorithm, digest };
}
