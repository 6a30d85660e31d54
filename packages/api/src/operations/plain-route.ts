import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * What the document says of a route that is no operation, as its body is streamed or its answer is a cookie; written beside the route
 * and listed in `faces/openapi/document.ts`.
 */
export interface PlainRoute extends Pick<Described, 'method' | 'path'> {
  /** Media type to what a body of that type holds. */
  readonly bodies: Readonly<Record<string, GenericSchema>>;
  /** null where an operation has the method and path: the media types are added to those that it takes. */
  readonly described:
    | (Described & RouteTraits & { readonly operationId: string; readonly output: GenericSchema })
    | null;
}

/** What sets a route apart from operations. */
export interface RouteTraits {
  /** A POST that takes no `Idempotency-Key`, as repeating it is harmless anyway, or is to be another one. */
  readonly takesNoKey?: boolean;
  /** Anybody may ask. */
  readonly needsNoToken?: boolean;
}
