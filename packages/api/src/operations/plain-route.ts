import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * A route that isn't an operation, because its body is streamed or its answer sets a cookie, as the document describes
 * it. Written beside the route, and listed in `faces/openapi/document.ts`.
 */
export interface PlainRoute extends Pick<Described, 'method' | 'path'> {
  /** By media type, the schema of a body of that type. */
  readonly bodies: Readonly<Record<string, GenericSchema>>;
  /** null if an operation has the same method and path: the media types are added to those of the operation. */
  readonly described:
    | (Described & RouteTraits & { readonly operationId: string; readonly output: GenericSchema })
    | null;
}

/** How a route differs from operations. */
export interface RouteTraits {
  /** A POST without `Idempotency-Key`, because a repeat is harmless or meant to do the work again. */
  readonly takesNoKey?: boolean;
  /** Needs no token. */
  readonly needsNoToken?: boolean;
}
