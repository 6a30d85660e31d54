import { renderError } from '../../errors.ts';
import type { Reporter } from '../../service.ts';

/** Where faults are told. */
export interface FaultReporting {
  readonly report: Pick<Reporter, 'fault'>;
}

/** A failure as a response; what is our own fault is reported on the way. */
export function errorResponse({ report }: FaultReporting, request: Request, error: unknown): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) report.fault(error, request);
  return Response.json(body, { status, headers });
}
