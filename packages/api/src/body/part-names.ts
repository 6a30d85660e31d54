import { isUtf8 } from 'node:buffer';

/** The characters that browsers escape. */
const ESCAPED = { '%22': '"', '%0D': '\r', '%0A': '\n' } as const;

/**
 * Decodes only those characters that browsers escape in names ("multipart/form-data encoding algorithm", WHATWG HTML).
 */
export const unescapeName = (name: string): string =>
  name.replace(/%(?:22|0D|0A)/g, (escaped) => ESCAPED[escaped as keyof typeof ESCAPED]);

const PERCENT_ESCAPE = /%([\da-f]{2})/gi;

const QUOTED_PRINTABLE_ESCAPE = /=([\da-f]{2})/gi;

/**
 * Returns the bytes that an ASCII text with escapes stands for.
 *
 * @param escapes matches each escaped byte, and captures its two hex digits
 */
const unescaped = (text: string, escapes: RegExp): Buffer =>
  Buffer.from(
    text.replace(escapes, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );

/** Matches a name without any character that `encodeURIComponent` would escape, as aiohttp and others send names. */
const PERCENT_ENCODED = /^(?:[\w.!~*'()-]|%[\dA-F]{2})+$/;

/**
 * Decodes a file name that is percent-encoded as a whole (RFC 7578 section 2), otherwise only what browsers escape. A
 * browser sends a file that is really named `a%20b.jpg` in the same way, and its item is then named `a b.jpg`.
 */
export function unescapeFileName(name: string): string {
  if (!PERCENT_ENCODED.test(name)) return unescapeName(name);
  const bytes = unescaped(name, PERCENT_ESCAPE);
  return isUtf8(bytes) ? bytes.toString('utf8') : unescapeName(name);
}

/** Matches a file name that has its own encoding (RFC 8187), which busboy has already decoded. */
export const HAS_EXTENDED_NAME = /filename\*=/i;

/**
 * Returns a file name that had its own encoding without the quotes around it. Programs for .NET often pass a quoted
 * name, and .NET then encodes the quotes as well.
 */
export const withoutQuotes = (name: string): string => /^"(.+)"$/.exec(name)?.[1] ?? name;

/** Matches a file name that has its own encoding, UTF-8 (RFC 8187 section 3.2.1), and the encoded name. */
const EXTENDED_NAME = /;[ \t]*(filename\*=utf-8'[\w-]*'((?:[\w.!#$&+^`|~-]|%[\da-f]{2})+))/i;

/**
 * Returns the file name of a line that has its own encoding, as a parameter to append to others (`; filename*=…`).
 * Returns an empty text if there is none, or if it can't be decoded.
 */
export function extendedNameOf(line: string): string {
  const [, parameter, encoded = ''] = EXTENDED_NAME.exec(line) ?? [];
  if (parameter === undefined) return '';
  return isUtf8(unescaped(encoded, PERCENT_ESCAPE)) ? `; ${parameter}` : '';
}

/** Matches one segment of a file name that is divided (RFC 2231 section 3), and its value as it is written. */
const SEGMENT = /;[ \t]*filename\*\d{1,2}(\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/gi;

/**
 * Replaces the segments of a file name by the whole name. JavaMail divides names of more than 60 characters. Segments
 * of which only some are encoded are left as they are.
 */
export function withoutSegments(head: Buffer): Buffer {
  if (!head.includes('*0')) return head;
  const text = head.toString('latin1');
  const segments = [...text.matchAll(SEGMENT)];
  const [[first, encoded] = []] = segments;
  if (first === undefined || segments.some(([, other]) => other !== encoded)) return head;
  const name = segments.map(([, , quoted, bare]) => quoted ?? bare).join('');
  const whole = encoded === '' ? `; filename="${name}"` : `; filename*=${name}`;
  return Buffer.from(text.replace(first, () => whole).replace(SEGMENT, ''), 'latin1');
}

/**
 * Matches a file name that consists of encoded words (RFC 2047 section 2), separated by blanks. .NET and PowerShell
 * send names outside ASCII like this.
 */
const ENCODED_FILE_NAME = /;[ \t]*filename="?((?:[ \t]*=\?[\w-]{1,40}\?[bq]\?[!->@-~]*\?=)+)"?[ \t]*(?=;|$)/im;

const ENCODED_WORD = /=\?([\w-]+)\?([bq])\?([!->@-~]*)\?=/gi;

/**
 * Replaces a file name that consists of encoded words by one with its own encoding (`filename*`). Removes it if the
 * head already has such a name, and keeps it if it can't be decoded.
 */
export function withoutEncodedWords(head: Buffer): Buffer {
  if (!head.includes('=?')) return head;
  const text = head.toString('latin1');
  const [parameter, words] = ENCODED_FILE_NAME.exec(text) ?? [];
  if (parameter === undefined || words === undefined) return head;
  const name = decodedWords(words);
  if (name === null) return head;
  const isExtended = HAS_EXTENDED_NAME.test(text);
  if (isExtended && extendedNameOf(text) === '') return head;
  const replacement = isExtended ? '' : `; filename*=UTF-8''${encodeURIComponent(name)}`;
  return Buffer.from(
    text.replace(parameter, () => replacement),
    'latin1',
  );
}

/** Decodes encoded words; null if their character set isn't known, or the bytes aren't in it. */
function decodedWords(words: string): string | null {
  try {
    const texts = Array.from(words.matchAll(ENCODED_WORD), ([, charset = '', encoding, text = '']) => {
      const isBase64 = encoding?.toLowerCase() === 'b';
      const bytes = isBase64
        ? Buffer.from(text, 'base64')
        : unescaped(text.replaceAll('_', ' '), QUOTED_PRINTABLE_ESCAPE);
      return new TextDecoder(charset, { fatal: true }).decode(bytes);
    });
    return texts.join('');
  } catch (error) {
    // A RangeError is an unknown character set.
    if (error instanceof RangeError || error instanceof TypeError) return null;
    throw error;
  }
}
