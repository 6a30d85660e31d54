import { batch } from './batch.ts';
import { headers } from './headers.ts';
import { inspect } from './inspect.ts';
import { json } from './json.ts';
import { mcp } from './mcp.ts';
import { media } from './media.ts';
import { multipart } from './multipart.ts';
import { ndjson } from './ndjson.ts';
import { pages } from './pages.ts';
import { query } from './query.ts';
import { resumable } from './resumable.ts';
import { sessions } from './sessions.ts';
import type { Target } from './target.ts';
import { tokens } from './tokens.ts';
import { trpc } from './trpc.ts';

/** All targets by name. */
export const TARGETS: Readonly<Record<string, Target>> = {
  multipart,
  json,
  query,
  headers,
  tokens,
  sessions,
  pages,
  batch,
  resumable,
  media,
  ndjson,
  trpc,
  mcp,
  inspect,
};
