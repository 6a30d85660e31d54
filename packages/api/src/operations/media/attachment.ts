/** Characters that aren't allowed in a quoted string, or that browsers read in different ways there (RFC 6266 D). */
const UNSAFE = /[^ !#$&-[\]-~]/g;

/** Half of a character, which has no encoding. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Characters that `encodeURIComponent` leaves as they are, although RFC 8187 section 3.2.1 doesn't allow them. */
const NOT_ENCODED = /['()*]/g;

/**
 * Returns the header `Content-Disposition` that makes browsers save a file under a name (RFC 6266): the name itself for
 * today's browsers, and before it an ASCII form for programs that don't know `filename*`.
 */
export function attachmentNamed(name: string): string {
  const encoded = encodeURIComponent(name.replace(LONE_SURROGATE, '\ufffd')).replace(
    NOT_ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replace(UNSAFE, '_')}"; filename*=UTF-8''${encoded}`;
}
