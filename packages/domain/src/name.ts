import { codePointLength, hasUnsafe, isInvisible } from './text.ts';

/**
 * Returns the text as a name, trimmed and in NFC. If it can't be one, returns the end of an error message.
 *
 * @param max code points
 */
export function readName(text: string, max: number): { readonly name: string } | { readonly problem: string } {
  const problemOfLength = { problem: `must not be greater than ${max} characters.` };
  const trimmed = text.trim();
  // NFC can take quadratic time, so a text that is too long anyway isn't normalised.
  if (trimmed.length > 16 * max) return problemOfLength;
  const name = trimmed.normalize('NFC');
  if (codePointLength(name) > max) return problemOfLength;
  if (hasUnsafe(name)) return { problem: 'must not contain control characters.' };
  return isInvisible(name) ? { problem: 'is required.' } : { name };
}
