/**
 * Windows code pages by the first part of a language tag. Spreadsheets and other programs that don't write Unicode use
 * these encodings. Languages that aren't listed use the Western European code page.
 */
const CODE_PAGES: Readonly<Record<string, string>> = {
  ...pages('windows-1250', 'cs hr hu pl ro sk sl sq'),
  ...pages('windows-1251', 'be bg kk ky mk ru sr tg tt uk'),
  ...pages('windows-1253', 'el'),
  ...pages('windows-1254', 'az tr'),
  ...pages('windows-1255', 'he'),
  ...pages('windows-1256', 'ar fa ur'),
  ...pages('windows-1257', 'et lt lv'),
  ...pages('windows-1258', 'vi'),
  ...pages('windows-874', 'th'),
  ...pages('shift_jis', 'ja'),
  ...pages('euc-kr', 'ko'),
  ...pages('gb18030', 'zh'),
  ...pages('big5', 'zh-TW zh-HK zh-Hant'),
};

const WESTERN = 'windows-1252';

function pages(encoding: string, languages: string): Record<string, string> {
  return Object.fromEntries(languages.split(' ').map((language) => [language, encoding]));
}

/**
 * Decodes a file by its byte order mark. Without one, it is decoded as UTF-16 or UTF-8 if the bytes look like it, and
 * otherwise by the code page of the user's language. An invalid byte affects only one character.
 */
export function decode(bytes: Uint8Array<ArrayBuffer>, language = navigator.language ?? ''): string {
  const [one = 0, two = 0] = bytes;
  if (one === 0xff && two === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (one === 0xfe && two === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const utf16 = unmarkedUtf16(bytes);
  if (utf16 !== null) return new TextDecoder(utf16).decode(bytes);
  const isMarked = one === 0xef && two === 0xbb && bytes[2] === 0xbf;
  if (isMarked || isMostlyUtf8(bytes)) return new TextDecoder().decode(bytes);
  const page = CODE_PAGES[language] ?? CODE_PAGES[language.split('-', 1)[0] ?? ''] ?? WESTERN;
  try {
    return new TextDecoder(page, { fatal: true }).decode(bytes);
  } catch {
    // The bytes are invalid in the code page of the user's language, so the file must come from a system in another
    // language.
    return new TextDecoder(WESTERN).decode(bytes);
  }
}

/**
 * Detects UTF-16 without a byte order mark. In UTF-16, one half of each ASCII letter or digit is a NUL byte, and every
 * export contains such characters. In other encodings, text contains no NUL bytes.
 */
function unmarkedUtf16(bytes: Uint8Array): string | null {
  const start = bytes.subarray(0, 200);
  const zeros = [0, 0];
  for (const [at, byte] of start.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [high = 0, low = 0] = zeros;
  if (Math.max(high, low) < start.length / 4 || Math.min(high, low) > 0) return null;
  return low > high ? 'utf-16le' : 'utf-16be';
}

/**
 * Whether the bytes are probably UTF-8. In older encodings, bytes hardly ever form a complete UTF-8 sequence, so each
 * complete sequence counts twice for UTF-8. An incomplete sequence of at least two bytes counts once for UTF-8, and any
 * other non-ASCII byte counts once against it.
 */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let votes = 0;
  let isAscii = true;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    if (first < 0x80) {
      at += 1;
      continue;
    }
    isAscii = false;
    const length = lengthOf(first);
    let found = 1;
    while (found < length && ((bytes[at + found] ?? 0) & 0xc0) === 0x80) found += 1;
    if (found === length && length > 1) votes += 2;
    else votes += found > 1 ? 1 : -1;
    at += found;
  }
  return isAscii || votes > 0;
}

/** Returns the length of the UTF-8 sequence that begins with this byte (RFC 3629); 1 if no sequence begins with it. */
function lengthOf(first: number): number {
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 1;
}
