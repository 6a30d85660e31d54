import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * Describes a route for the document. The route isn't an operation, because its body is streamed or its answer sets a
 * cookie.
 */
export interface PlainRoute extends Pick<Described, 'method' | 'path'> {
  /** The schema of a body, by its media type. */
  readonly bodies: Readonly<Record<string, GenericSchema>>;
  /**
   * The description; null if an operation has the same method and path. The media types are then added to that
   * operation.
   */
  readonly described:
    | (Described & RouteTraits & { readonly operationId: string; readonly output: GenericSchema })
    | null;
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
  /** Whether the body is read line by line, so that its length isn't limited. */
  readonly takesAnyLength?: boolean;
}
