import type { Kind } from './upload.ts';

/** The service's limit for files that are sent directly to the storage: 2 GB. */
const MAX_BYTES = 2 * 1024 ** 3;

/** Number of bytes at the start that determine a file's type: a signature, or the brands of an ISO base media file. */
const HEAD = 64;

/** The service's messages about the field `files.0`, with "file" in place of the field's name. */
const EMPTY = 'The file must not be empty.';
const TOO_LARGE = `The file must not be greater than ${MAX_BYTES} bytes (2 GB).`;
const WRONG_TYPE = 'The file must be a file of type: jpeg, png, gif, webp, mp4, mov.';

/** Brands of images that the service converts, or refuses if it is configured not to. */
const CONVERTED_BRANDS = /^(?:hei[cfmsx]|hev[cmsx]|mi[fa][123f]|msf1|avi[fos])$/;

const WRONG_KIND = { image: 'Only images are accepted here.', video: 'Only videos are accepted here.' };

/** The error for unreadable files, including files that were deleted before their turn. */
export const UNREADABLE = 'The file can no longer be read: it was moved, changed or deleted.';

/** First atoms of videos that don't begin with `ftyp`. */
const ATOMS = ['moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'uuid', 'udta'];

/** Brands of unsupported images or audio. Files of all other brands are sent, and the service decides. */
const OTHER_BRANDS = /^(?:crx |M4[ABP] |F4[AB] |jp2 |jpx |jxl )$/;

/**
 * Returns the reason to refuse a file by its size or type; null if the service has to decide.
 *
 * @param kind the only kind that is accepted; null or absent for both
 */
export async function refuseFile(file: Blob, kind?: Kind | null): Promise<string | null> {
  if (file.size === 0) return EMPTY;
  if (file.size > MAX_BYTES) return TOO_LARGE;
  const head = await readHead(file);
  if (head === null) return UNREADABLE;
  const type = typeOf(head);
  if (type === null) return WRONG_TYPE;
  return !kind || type.startsWith(kind) ? null : WRONG_KIND[kind];
}

/**
 * Whether a file can still be read. When a file that no longer exists is sent, the browser only reports that the
 * request failed.
 */
export const isReadable = async (file: Blob): Promise<boolean> => (await readHead(file)) !== null;

const readHead = async (file: Blob): Promise<string | null> => {
  try {
    return String.fromCharCode(...new Uint8Array(await file.slice(0, HEAD).arrayBuffer()));
  } catch {
    return null;
  }
};

function typeOf(head: string): string | null {
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('GIF')) return 'image/gif';
  if (head.startsWith('RIFF')) return head.slice(8, 12) === 'WEBP' ? 'image/webp' : null;
  const brand = brandOf(head);
  if (brand === null) return ATOMS.includes(head.slice(4, 8)) ? 'video/quicktime' : null;
  if (CONVERTED_BRANDS.test(brand)) return 'image/heif';
  if (OTHER_BRANDS.test(brand)) return null;
  return brand === 'qt  ' ? 'video/quicktime' : 'video/mp4';
}

const brandOf = (head: string): string | null => (head.slice(4, 8) === 'ftyp' ? head.slice(8, 12) : null);
