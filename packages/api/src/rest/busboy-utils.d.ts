// The types of busboy leave out its reader of the Content-Type header.

declare module 'busboy/lib/utils.js' {
  /** undefined for what is no media type (RFC 9110 section 8.3.1). */
  export function parseContentType(
    header: string,
  ): { readonly params: Readonly<Record<string, string | undefined>> } | undefined;
}
