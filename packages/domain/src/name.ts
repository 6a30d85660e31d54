import { codePointLength, hasUnsafe } from './text.ts';

/** White space and format characters alone show nothing. */
const INVISIBLE = /^[\s\p{Z}\p{Cf}]*$/u;

/**
 * A name on one line as a person typed it, in the form that is kept: NFC, trimmed. Where it is none, the end of the
 * sentence that says why ("The name field …").
 *
 * @param max code points after trimming
 */
export function readName(text: string, max: number): { readonly name: string } | { readonly problem: string } {
  const problemOfLength = { problem: `must not be greater than ${max} characters.` };
  const trimmed = text.trim();
  // No text whose normal form could fit is longer, and longer ones aren't normalised: NFC can take quadratic time.
  if (trimmed.length > 16 * max) return problemOfLength;
  const name = trimmed.normalize('NFC');
  if (codePointLength(name) > max) return problemOfLength;
  if (hasUnsafe(name)) return { problem: 'must not contain control characters.' };
  return INVISIBLE.test(name) ? { problem: 'is required.' } : { name };
}
