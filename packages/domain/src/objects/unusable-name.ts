import { Refusal } from '../errors.ts';

/**
 * Thrown if the storage can't have an object with this name, because its file system forbids a character or allows only
 * shorter names; nothing is stored then. The error is on `file`, unless the caller knows a better field.
 */
export class UnusableName extends Refusal {
  readonly sentence: string;

  constructor(name: string, options?: { cause: unknown }) {
    const sentence = `The storage can't have a file with the name “${name}”. Choose a shorter name without special characters.`;
    super({ code: 'invalid', errors: { file: [sentence] } }, options);
    this.sentence = sentence;
  }
}
