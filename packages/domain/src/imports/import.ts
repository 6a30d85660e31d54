import { NAME_LENGTH } from '../media/limits.ts';
import { inputStem, nameFromFileName, nameFromInput } from '../media/name.ts';
import type { MediaType } from '../media/types.ts';
import { firstCodePoints } from '../text.ts';
import { type Defect, defectSentence } from '../uploads/defect.ts';
import { MAX_FILE_BYTES } from '../uploads/limits.ts';

/** Maximum size in bytes. A larger declared size is answered with 413; if more bytes arrive, the import fails. */
export const MAX_IMPORT_BYTES = MAX_FILE_BYTES;

/** Maximum size in bytes of an image for which the request waits; a larger one is imported in the background (202). */
export const MAX_AWAITED_IMAGE_BYTES = 50 * 1024 * 1024;

/** Maximum length in code points; a longer URL is answered with 422 on `url`. */
export const MAX_URL_LENGTH = 2048;

/** Maximum number of redirects; more are answered with 422 on `url`. */
export const MAX_REDIRECTS = 3;

/** Milliseconds before each retry, unless the operator sets other delays. */
export const DEFAULT_IMPORT_RETRY_DELAYS: readonly number[] = [5_000, 30_000];

export const IMPORT_TOO_LARGE = 'The file at the URL must not be larger than 2 GB.';
export const IMPORT_INTERRUPTED = 'The import was interrupted too often.';
export const IMPORT_WRONG_TYPE = 'The file at the URL is not a JPEG, PNG, GIF, WebP, MP4 or QuickTime file.';

/** Returns the sentence for `error_message`, or for 422 on `url`. */
export const importDefectMessage = (defect: Defect): string =>
  defectSentence(defect, 'The file at the URL', IMPORT_WRONG_TYPE);

/**
 * Returns the name of an import before its type is known: the requested name, or the file name in the URL. {@link
 * finalName} replaces it later.
 */
export function provisionalName(requested: string | null, url: string, type: MediaType | null): string {
  if (requested !== null) return type ? nameFromInput(requested, type) : untypedName(requested);
  const fileName = fileNameOf(url);
  // If the type isn't known, any type can be passed, because the extension that it adds is removed again.
  return type ? nameFromFileName(fileName, type) : untypedName(nameFromFileName(fileName, 'image/jpeg'));
}

export const finalName = (current: string, type: MediaType): string => nameFromInput(current, type);

export const untypedName = (name: string): string => firstCodePoints(inputStem(name), NAME_LENGTH.max);

function fileNameOf(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Returns when to retry after a failure of the remote server; null if the import has failed.
 *
 * @param attempts the number of attempts so far, at least 1
 * @param mayRecover whether the failure may be temporary, such as a time-out or a 5xx response
 * @param delays milliseconds before each retry
 */
export function nextRetry(
  attempts: number,
  mayRecover: boolean,
  delays: readonly number[],
): { readonly delay: number } | null {
  const delay = delays[attempts - 1];
  return mayRecover && delay !== undefined ? { delay } : null;
}
