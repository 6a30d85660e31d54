export { createApi } from './rest/app.ts';
export { ASKED_METHOD } from './rest/files.ts';
export { errorResponse, type FaultReporting } from './rest/respond.ts';
export { type AppRouter, appRouter } from './routers/index.ts';
export type { BodyPace, Door, Reporter, Service } from './service.ts';
