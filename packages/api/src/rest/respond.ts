import { renderError } from '../errors.ts';
import type { Service } from '../service.ts';

/** A failure as a response; what is our own fault is reported on the way. */
export function errorResponse(service: Pick<Service, 'report'>, request: Request, error: unknown): Response {
  const { status, body, headers, isFault } = renderError(error);
  if (isFault) service.report.fault(error, request);
  return Response.json(body, { status, headers });
}
