import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * What the document says of a route that is no operation, as its body is streamed or its answer sets a cookie. Written
 * beside the route, and listed in `faces/openapi/document.ts`.
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
  /** A POST without `Idempotency-Key`, as a repeat is harmless, or is meant to do the work again. */
  readonly takesNoKey?: boolean;
  /** Needs no token. */
  readonly needsNoToken?: boolean;
}
