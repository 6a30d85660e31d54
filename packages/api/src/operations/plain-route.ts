import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * A route that isn't an operation, because its body is streamed or its answer sets a cookie, as the document describes
 * it.
 */
export interface PlainRoute extends Pick<Described, 'method' | 'path'> {
  /** By media type, the schema of a body of that type. */
  readonly bodies: Readonly<Record<string, GenericSchema>>;
  /** null if an operation has the same method and path, and gets the media types. */
  readonly described:
    | (Described & RouteTraits & { readonly operationId: string; readonly output: GenericSchema })
    | null;
}

export interface RouteTraits {
  /** Fields of the query; optional all. */
  readonly query?: GenericSchema;
  /** Optional headers of requests, by name, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a success. Default JSON; null: it has no body. */
  readonly mediaType?: string | null;
  /** A repeat is harmless or meant to do the work again. */
  readonly takesNoKey?: boolean;
  readonly needsNoToken?: boolean;
  /** It is read line by line, so that no length is too much. */
  readonly takesAnyLength?: boolean;
}
