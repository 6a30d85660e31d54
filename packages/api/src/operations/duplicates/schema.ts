import { type Caller, requireAlso } from '@postshelf/application';
import {
  type FieldErrors,
  MAX_FILES_PER_REQUEST,
  ON_DUPLICATE,
  readSha256,
  type UploadTerms,
  type Workspace,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';

const NO_SHA256 = 'must be a SHA-256 in hex, 64 digits.';

const sha256 = v.pipe(
  documented(v.string(), {
    description: 'SHA-256 of the bytes sent, in hex. A file that doesn’t match is refused like a damaged one.',
    minLength: 64,
    maxLength: 64,
    examples: ['a3f5c1d20b7e4968a3f5c1d20b7e4968a3f5c1d20b7e4968a3f5c1d20b7e4968'],
    'x-extension': true,
  }),
  v.check((text) => readSha256(text) !== null, NO_SHA256),
  v.transform((text) => readSha256(text)),
);

/**
 * The choice of what to do with duplicates. `keep` isn't declared as the default, because client generators make a
 * field with a default mandatory.
 */
const on_duplicate = v.optional(
  documented(v.picklist(ON_DUPLICATE), {
    description:
      '`return`: if the workspace has an `active` item with the same bytes, that item is returned and nothing is stored; also needs `media:read`. `keep`, the default: the file is stored again.',
    'x-extension': true,
  }),
);

/** Fields of a request for which the file is sent later. */
export const termsFields = { sha256: v.optional(v.nullable(sha256), null), on_duplicate };

export const readTerms = (fields: {
  readonly sha256: string | null;
  readonly on_duplicate?: UploadTerms['onDuplicate'] | undefined;
}): UploadTerms => ({ sha256: fields.sha256, onDuplicate: fields.on_duplicate ?? 'keep' });

/**
 * Requires the scope `media:read` of a caller that asks for an existing item to be returned.
 *
 * @param asked the values of `on_duplicate`, as received
 * @throws Refusal `missing_scope`
 */
export function requireMayReturn(caller: Caller, { id }: Pick<Workspace, 'id'>, asked: readonly unknown[]): void {
  if (asked.includes('return')) requireAlso(caller, id, 'media:read');
}

/** The declared hashes, in the order of the form's files; null for a file without a hash. */
export class DeclaredHashes {
  /**
   * Whether a field contains a hash. Its name may have the same forms as the name of a file field: `sha256[]`, `sha256`
   * or `sha256[0]`.
   */
  static isField(name: string): boolean {
    return /^sha256(?:\[\d{0,9}\])?$/.test(name);
  }

  readonly #texts: string[] = [];
  #count = 0;

  add(text: string): void {
    this.#count += 1;
    // At most as many hashes are kept as there can be files. Of each text, only enough is kept to show that it is too
    // long.
    if (this.#count <= MAX_FILES_PER_REQUEST) this.#texts.push(text.slice(0, 65));
  }

  get values(): readonly (string | null)[] {
    return this.#texts.map((text) => readSha256(text));
  }

  errors(files: number): FieldErrors {
    if (this.#count > files) return { sha256: ['The sha256 field must not have more items than there are files.'] };
    const malformed = this.#texts.flatMap((text, number) =>
      text === '' || readSha256(text) !== null
        ? []
        : [[`sha256.${number}`, [`The sha256.${number} field ${NO_SHA256}`]]],
    );
    return Object.fromEntries(malformed);
  }
}
