import * as v from 'valibot';
import type { PlainRoute } from '../openapi/plain-route.ts';
import { importReport, postLine } from '../schemas/posts.ts';
import { NDJSON } from './ndjson.ts';

/** `import-posts.ts` in the OpenAPI document. A body's schema is that of each of its lines. */
export const importPostsDocument: PlainRoute = {
  method: 'POST',
  path: '/workspaces/{workspace}/posts/import',
  bodies: Object.fromEntries(NDJSON.map((type) => [type, postLine])),
  operation: {
    operationId: 'postsImport',
    openapi: {
      method: 'POST',
      path: '/workspaces/{workspace}/posts/import',
      summary: 'Import posts',
      description:
        'One JSON object a line, as many as you like. A line is taken or rejected by itself. One whose `profile` and `external_id` are there brings that post up to date, so repeating an import is harmless.',
      tags: ['Posts'],
    },
    scope: 'analytics:write',
    status: 200,
    extension: true,
    statuses: { 400: 'The body ended early: what came before was taken.' },
    output: v.object({ data: importReport, message: v.string() }),
  },
};
