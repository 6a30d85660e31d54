import type { GenericSchema } from 'valibot';
import type { Described } from './operation.ts';

/**
 * What the document says of a route whose body is streamed, and which is no operation therefore; written beside the route
 * and listed in `faces/openapi/document.ts`.
 */
export interface PlainRoute extends Pick<Described, 'method' | 'path'> {
  /** Media type to what a body of that type holds. */
  readonly bodies: Readonly<Record<string, GenericSchema>>;
  /** null where an operation has the method and path: the media types are added to those that it takes. */
  readonly described: (Described & Keyless & { readonly operationId: string; readonly output: GenericSchema }) | null;
}

/** Of a POST that takes no `Idempotency-Key`, as repeating it is harmless anyway. */
export interface Keyless {
  readonly takesNoKey?: boolean;
}
