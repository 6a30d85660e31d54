import type { Scope } from './tokens/token.ts';

/** Messages by invalid field; nested names have dots (`files.0.size`; docs/api.md, "Errors"). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Every failure that a caller can see. Application and adapters throw these, wrapped in {@link Refusal};
 * the API's one renderer (`packages/api/src/errors.ts`) turns each code into its HTTP status and body.
 */
export type Problem =
  | { readonly code: 'unauthenticated' }
  | { readonly code: 'missing_scope'; readonly scope: Scope }
  | { readonly code: 'forbidden'; readonly message: string }
  | { readonly code: 'not_found' }
  | { readonly code: 'invalid'; readonly errors: FieldErrors }
  | { readonly code: 'too_large'; readonly message: string }
  /** The address and the headers of the request, not its body. */
  | { readonly code: 'malformed'; readonly message: string }
  | { readonly code: 'unsupported_media_type'; readonly accepted: readonly string[] }
  | { readonly code: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly code: 'too_slow'; readonly message: string }
  | { readonly code: 'unavailable'; readonly message: string }
  /** The caller sends too many requests, or too many at once; `retryAfter` in whole seconds, as in `busy`. */
  | { readonly code: 'too_many_requests'; readonly message: string; readonly retryAfter: number }
  /** Another request is working on the same thing; `retryAfter` as in `busy`. */
  | { readonly code: 'conflict'; readonly message: string; readonly retryAfter: number }
  /** Too much work is under way. */
  | { readonly code: 'busy'; readonly message: string; readonly retryAfter: number }
  /** The remaining disk space is a reserve that is kept free. */
  | { readonly code: 'storage_low'; readonly message?: string };

/** A request is refused for a reason that the caller may know. Any other error is a fault of this program. */
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

/** A 422 on one field. */
export const invalid = (field: string, sentence: string): Refusal =>
  new Refusal({ code: 'invalid', errors: { [field]: [sentence] } });

/** The message for a field that names something that doesn't exist or isn't one of its choices. */
export const selectedInvalid = (field: string): string => `The selected ${field.replaceAll('_', ' ')} is invalid.`;

/** The `message` beside `errors`: the first sentence, and how many more there are (docs/api.md, "Errors"). */
export function summarise(errors: FieldErrors): string {
  const sentences = Object.values(errors).flat();
  const [first = 'The given data was invalid.'] = sentences;
  const more = sentences.length - 1;
  if (more < 1) return first;
  return `${first} (and ${more} more ${more === 1 ? 'error' : 'errors'})`;
}

/**
 * The message if the client closed the connection: for the log, and for a client that closed only its sending
 * direction.
 */
export const REQUEST_ENDED_EARLY = 'The request ended early.';

/** The refusal of work whose signal was aborted: the signal's reason if that is a refusal, otherwise `malformed`. */
export const endedEarly = ({ reason }: Pick<AbortSignal, 'reason'>): Refusal =>
  reason instanceof Refusal
    ? reason
    : new Refusal({ code: 'malformed', message: REQUEST_ENDED_EARLY }, { cause: reason });
