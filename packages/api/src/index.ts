export { type Api, createApi } from './faces/rest/app.ts';
export { errorResponse, withoutBody } from './faces/rest/respond.ts';
export { taggedResponse } from './faces/rest/tagged.ts';
export type { AppRouter, OperatorRouter } from './faces/trpc/router.ts';
export { clientAddress, type Facts } from './facts.ts';
export { showEvent } from './operations/events/show.ts';
export { namedOperations } from './operations/index.ts';
export { showJob } from './operations/jobs/schema.ts';
export type { RateState, Redirects, RequestLimits, RequestObserver, RequestRecord, ServiceParts } from './service.ts';
