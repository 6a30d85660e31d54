import { codePointLength, hasUnsafe } from './text.ts';

/** A name of nothing but white space and format characters is invisible. */
const INVISIBLE = /^[\s\p{Z}\p{Cf}]*$/u;

/**
 * Reads a one-line name that a person typed. Returns it in its stored form, NFC and trimmed, or the end of the error
 * message ("The name field …").
 *
 * @param max code points after trimming
 */
export function readName(text: string, max: number): { readonly name: string } | { readonly problem: string } {
  const problemOfLength = { problem: `must not be greater than ${max} characters.` };
  const trimmed = text.trim();
  // Longer texts can't fit even in normal form, and aren't normalised, as NFC can take quadratic time.
  if (trimmed.length > 16 * max) return problemOfLength;
  const name = trimmed.normalize('NFC');
  if (codePointLength(name) > max) return problemOfLength;
  if (hasUnsafe(name)) return { problem: 'must not contain control characters.' };
  return INVISIBLE.test(name) ? { problem: 'is required.' } : { name };
}
