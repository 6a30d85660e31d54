export { createApi } from './faces/rest/app.ts';
export { ASKED_METHOD } from './operations/media/file.ts';
export { errorResponse, type FaultReporting } from './faces/rest/respond.ts';
export { type AppRouter, appRouter } from './operations/index.ts';
export type { BodyPace, Door, Reporter, Service } from './service.ts';
