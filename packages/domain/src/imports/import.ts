import { WRONG_HASH } from '../duplicates/upload-terms.ts';
import { NAME_LENGTH } from '../media/limits.ts';
import { inputStem, nameFromFileName, nameFromInput } from '../media/name.ts';
import { DAMAGED, type MediaType } from '../media/types.ts';
import { firstCodePoints } from '../text.ts';
import { MAX_FILE_BYTES } from '../uploads/limits.ts';

/** Bytes of a file by URL, 2 GB. If a larger size is announced: 413; if more bytes arrive: the import fails. */
export const MAX_IMPORT_BYTES = MAX_FILE_BYTES;

/**
 * Bytes of an image by URL, 50 MB, up to which the answer waits for it (201); a larger one continues in the background
 * (202).
 */
export const MAX_AWAITED_IMAGE_BYTES = 50 * 1024 * 1024;

/** Code points of a URL. Above: 422 on `url`. */
export const MAX_URL_LENGTH = 2048;

/** Redirects that are followed. One more: 422 on `url`. */
export const MAX_REDIRECTS = 3;

/** Interruptions of one import, by crashes and by failures of this service, before it is abandoned. */
export const MAX_INTERRUPTIONS = 10;

/**
 * Whether an import has been started so often without an end that it is abandoned: its file is likely to be the cause.
 */
export const isImportGivenUp = (claims: number): boolean => claims > MAX_INTERRUPTIONS;

const LONGEST_PAUSE = 600_000;

/**
 * Milliseconds until an import is started again after a failure of this service, for example of its storage. They
 * double with each claim: from 5 seconds on, an import survives an outage of 40 minutes.
 *
 * @param first milliseconds after the first claim
 */
export const pauseAfterFault = (claims: number, first: number): number =>
  Math.min(LONGEST_PAUSE, first * 2 ** (claims - 1));

export const IMPORT_TOO_LARGE = 'The file at the URL must not be larger than 2 GB.';
export const IMPORT_INTERRUPTED = 'The import was interrupted too often.';
export const IMPORT_DAMAGED = `The file at the URL ${DAMAGED}`;
export const IMPORT_WRONG_HASH = `The file at the URL ${WRONG_HASH}`;
export const IMPORT_WRONG_TYPE = 'The file at the URL is not a JPEG, PNG, GIF, WebP, MP4 or QuickTime file.';

/**
 * The name of an import until its bytes are there: the requested name or else the URL's file name, with the extension
 * of its type if that is known already. {@link finalName} replaces it afterwards.
 */
export function provisionalName(requested: string | null, url: string, type: MediaType | null): string {
  if (requested !== null) return type ? nameFromInput(requested, type) : untypedName(requested);
  const fileName = fileNameOf(url);
  // Any type would do to remove the extension; the name has none until the type is known.
  return type ? nameFromFileName(fileName, type) : untypedName(nameFromFileName(fileName, 'image/jpeg'));
}

/** The name of an import whose type is known; `current` is its present name. */
export const finalName = (current: string, type: MediaType): string => nameFromInput(current, type);

/** A name typed for an item whose type isn't known yet: cleaned, without an extension. */
export const untypedName = (name: string): string => firstCodePoints(inputStem(name), NAME_LENGTH.max);

/** The last segment of a URL's path, percent-decoded; empty where it has none. */
function fileNameOf(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Milliseconds until the next attempt, after `attempts` failures of the remote server; null: the import has failed. */
export function nextRetry(
  attempts: number,
  mayRecover: boolean,
  delays: readonly number[],
): { readonly delay: number } | null {
  const delay = delays[attempts - 1];
  return mayRecover && delay !== undefined ? { delay } : null;
}
