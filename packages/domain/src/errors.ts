import type { Scope } from './tokens/token.ts';

/** Sentences by field; nested names have dots (`files.0.size`). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Every failure that a caller can see. */
export type Problem =
  | { readonly code: 'unauthenticated' }
  | { readonly code: 'missing_scope'; readonly scope: Scope }
  | { readonly code: 'forbidden'; readonly message: string }
  | { readonly code: 'not_found' }
  /** The resource doesn't have the expected version; `version` is its current version. */
  | { readonly code: 'changed'; readonly version: number }
  | { readonly code: 'invalid'; readonly errors: FieldErrors }
  | { readonly code: 'too_large'; readonly message: string }
  | { readonly code: 'malformed'; readonly message: string }
  | { readonly code: 'unsupported_media_type'; readonly accepted: readonly string[] }
  /** The request's body is compressed. */
  | { readonly code: 'unsupported_encoding' }
  | { readonly code: 'method_not_allowed'; readonly allow: readonly string[] }
  /** The request uses another version of its protocol; `supported` is the version that it has to use. */
  | { readonly code: 'unsupported_version'; readonly message: string; readonly supported: string }
  /** The request's bytes don't match the checksum that it declares. */
  | { readonly code: 'wrong_checksum'; readonly message: string }
  /** The requested range has no byte of the file, which has `size` bytes. */
  | { readonly code: 'range_not_satisfiable'; readonly size: number }
  | { readonly code: 'too_slow'; readonly message: string }
  | { readonly code: 'unavailable'; readonly message: string }
  /** Another request is working on the resource. */
  | { readonly code: 'locked'; readonly message: string }
  /** `retryAfter` in whole seconds. */
  | { readonly code: 'too_many_requests'; readonly message: string; readonly retryAfter: number }
  | { readonly code: 'conflict'; readonly message: string; readonly retryAfter: number }
  | { readonly code: 'busy'; readonly message: string; readonly retryAfter: number }
  /** Only the reserve of disk space is left. */
  | { readonly code: 'storage_low'; readonly message?: string };

/** A failure that the caller is shown; any other error is a bug in this program. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly problem: Problem,
    options?: { cause: unknown },
  ) {
    super(problem.code, options);
  }
}

export const notFound = (): Refusal => new Refusal({ code: 'not_found' });

export const invalid = (field: string, sentence: string): Refusal =>
  new Refusal({ code: 'invalid', errors: { [field]: [sentence] } });

export const selectedInvalid = (field: string): string => `The selected ${field.replaceAll('_', ' ')} is invalid.`;

/** Returns the first sentence and how many more there are. */
export function summarise(errors: FieldErrors): string {
  const sentences = Object.values(errors).flat();
  const [first = 'The given data was invalid.'] = sentences;
  const more = sentences.length - 1;
  if (more < 1) return first;
  return `${first} (and ${more} more ${more === 1 ? 'error' : 'errors'})`;
}

export const REQUEST_ENDED_EARLY = 'The request ended early.';

/** Returns the signal's reason if that is a refusal, otherwise `malformed`. */
export const endedEarly = ({ reason }: Pick<AbortSignal, 'reason'>): Refusal =>
  reason instanceof Refusal
    ? reason
    : new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY }, { cause: reason });
