import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * Describes a route for the document. The route isn't an operation, because its body is streamed or its answer sets a
 * cookie.
 */
export interface PlainRoute extends Described, RouteTraits {
  readonly operationId: string;
  /** The schema of the body, by its media type. Default: there is no body. */
  readonly bodies?: Readonly<Record<string, GenericSchema>>;
  readonly output: GenericSchema;
}

export interface RouteTraits {
  /** Fields of the query, all of which are optional. */
  readonly query?: GenericSchema;
  /** Descriptions of the optional headers of requests, by header name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type of a success; null if it has no body. Default: JSON. */
  readonly mediaType?: string | null;
  /** Whether the route takes no `Idempotency-Key`, because a repeat is harmless or is meant to do the work again. */
  readonly takesNoKey?: boolean;
  readonly needsNoToken?: boolean;
  /** Statuses that such routes usually send, but this one doesn't. */
  readonly without?: readonly number[];
  /** Whether the body is read line by line, so that its length isn't limited. */
  readonly takesAnyLength?: boolean;
}
