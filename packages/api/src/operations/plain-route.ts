import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * Describes a route for the document that isn't an operation, because its body is streamed or its answer sets a cookie.
 */
export interface PlainRoute extends Pick<Described, 'method' | 'path'> {
  /** The schema of a body, by its media type. */
  readonly bodies: Readonly<Record<string, GenericSchema>>;
  /** null if an operation has the same method and path; the media types are then added to it. */
  readonly described:
    | (Described & RouteTraits & { readonly operationId: string; readonly output: GenericSchema })
    | null;
}

export interface RouteTraits {
  /** Fields of the query; all optional. */
  readonly query?: GenericSchema;
  /** Optional headers of requests, by name, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The media type of a success. Default JSON; null: no body. */
  readonly mediaType?: string | null;
  /** Whether a repeat is harmless or meant to do the work again. */
  readonly takesNoKey?: boolean;
  readonly needsNoToken?: boolean;
  /** Whether the body is read line by line, so that no length is too large. */
  readonly takesAnyLength?: boolean;
}
