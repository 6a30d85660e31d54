import { enterWorkspace, importPosts, type PostLine, requireScope } from '@postshelf/application';
import { Refusal } from '@postshelf/domain';
import * as v from 'valibot';
import { identify } from '../identify.ts';
import { fieldErrorsOf } from '../schemas/field-errors.ts';
import { given } from '../schemas/given.ts';
import { postLine } from '../schemas/posts.ts';
import type { BodyPace, Service } from '../service.ts';
import { readBody } from './body-stream.ts';
import { MAX_JSON_BYTES, mediaTypeOf } from './json-body.ts';
import { type Line, readLines } from './lines.ts';
import { NDJSON } from './ndjson.ts';

/** `POST /workspaces/{workspace}/posts/import`: one post a line, as long as the client likes (docs/api.md, "Posts"). */
export async function importLines(service: Service, request: Request, workspaceId: string): Promise<Response> {
  const token = await identify(service, request);
  requireScope(token, 'analytics:write');
  const workspace = await enterWorkspace(service.ports, token, workspaceId);
  if (!NDJSON.some((type) => type === mediaTypeOf(request)))
    throw new Refusal({ code: 'unsupported_media_type', accepted: NDJSON });
  const lines = readLines(readBody(request, weighed(service.bodyPace)), MAX_JSON_BYTES);
  const data = await importPosts(service.ports, workspace, readPosts(lines));
  const taken = data.lines - data.rejected;
  const message = `${taken} of ${data.lines} ${data.lines === 1 ? 'line was' : 'lines were'} taken.`;
  return Response.json({ data, message });
}

/** What a line leaves behind once it is read, as a multiple of its bytes. */
const GARBAGE = 8;

const weighed = (pace: BodyPace): BodyPace => ({
  ...pace,
  onChunk: (bytes, request) => pace.onChunk?.(bytes, request, bytes * GARBAGE),
});

/** What each line says; blank lines say nothing. A post at its limits fits, also with every character escaped. */
async function* readPosts(lines: AsyncIterable<Line>): AsyncGenerator<PostLine> {
  for await (const { number, bytes } of lines) {
    if (bytes === null) yield refuseLine(number, `must not be longer than ${MAX_JSON_BYTES} bytes.`);
    else {
      const text = decode(bytes);
      if (text === null) yield refuseLine(number, 'must be valid UTF-8.');
      else if (text.trim() !== '') yield readPost(number, text);
    }
  }
}

function readPost(number: number, text: string): PostLine {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuseLine(number, 'must be a JSON object.');
  const read = v.safeParse(postLine, value);
  if (!read.success) return { number, errors: fieldErrorsOf(read.issues) };
  const { profile, published_at, external_id, text: said, media_content_ids, metrics } = read.output;
  return {
    number,
    said: {
      profileId: profile,
      externalId: external_id,
      publishedAt: published_at,
      ...(said !== undefined && { text: said }),
      ...(media_content_ids !== undefined && { mediaIds: media_content_ids ?? [] }),
      ...(metrics && { metrics: given(metrics) }),
    },
  };
}

const refuseLine = (number: number, why: string): PostLine => ({ number, errors: { line: [`The line ${why}`] } });

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
