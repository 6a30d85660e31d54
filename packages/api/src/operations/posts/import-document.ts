import * as v from 'valibot';
import { NDJSON } from '../../body/ndjson.ts';
import { dataAndMessageOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import type { PlainRoute } from '../plain-route.ts';
import { importReport, postLine } from './schema.ts';

/** The schema of a line is given separately, because no keyword describes a text of several JSON values. */
const lines = documented(v.string(), {
  title: 'PostLines',
  description: 'JSON objects, one `PostLine` per line.',
  contentMediaType: NDJSON[0],
  contentSchema: v.array(postLine),
  examples: [
    '{"profile":"019f5b0e-7a10-7c55-8a31-4b7e9d2f6c80","external_id":"1","published_at":"2026-01-31T18:30:00Z","metrics":{"likes":12}}\n',
  ],
});

export const importPostsDocument: PlainRoute = {
  method: 'POST',
  path: '/workspaces/{workspace}/posts/import',
  bodies: Object.fromEntries(NDJSON.map((type) => [type, lines])),
  operationId: 'postsImport',
  summary: 'Import posts',
  description:
    'The body has one JSON object per line, and any number of lines. Each line is accepted or rejected independently. A line whose `profile` and `external_id` already exist updates that post, so repeating an import is harmless.',
  tag: 'Posts',
  scope: 'analytics:write',
  status: 200,
  extension: true,
  takesNoKey: true,
  takesAnyLength: true,
  statuses: { 400: 'The body ended early: the lines before that were accepted or rejected as usual.' },
  output: dataAndMessageOf(importReport, 'ImportedPosts'),
};
