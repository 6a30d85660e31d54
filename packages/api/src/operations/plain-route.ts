import type { GenericSchema } from 'valibot';
import type { Meta } from '../faces/trpc/router.ts';

/**
 * What the document says of a route that is no procedure, written beside the route and listed in `plain-routes.ts`.
 * With the method and path of a procedure it adds to that operation the media types that the procedure doesn't take.
 */
export interface PlainRoute {
  readonly method: Meta['openapi']['method'];
  /** Below `/v1`, parameters in braces; `#` and a word behind it where it repeats another entry. */
  readonly path: `/${string}`;
  /** Media type to what a body of that type holds. */
  readonly bodies: Readonly<Record<string, GenericSchema>>;
  /** Of the operation; null where a procedure has the route. */
  readonly operation: (Meta & { readonly operationId: string; readonly output: GenericSchema }) | null;
}
