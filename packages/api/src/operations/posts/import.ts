import {
  importPosts,
  type PostLine,
  type PostReferences,
  requireEntry,
  requireWorkspace,
  turns,
} from '@postshelf/application';
import { MAX_MEDIA_PER_POST, Refusal, type Workspace } from '@postshelf/domain';
import * as v from 'valibot';
import { admit } from '../../admit.ts';
import { holdBody, MAX_JSON_BYTES, mediaTypeOf } from '../../body/json.ts';
import { InvalidJson, parseJson } from '../../body/json-text.ts';
import { type Line, NDJSON, readLines } from '../../body/ndjson.ts';
import { readBody } from '../../body/stream.ts';
import type { Exchange } from '../../exchange.ts';
import { recordDone } from '../audit/record.ts';
import { fieldErrorsOf } from '../fields/field-errors.ts';
import { readPublishedAt } from '../fields/published-at.ts';
import { given } from '../fields/values.ts';
import { postLine } from './schema.ts';

/**
 * Maximum bytes of a report. The largest one lists the maximum number of rejected lines, each with errors in all of its
 * fields.
 */
const MAX_REPORTED = 768 * 1024;

/** Imports one post per line, for any number of lines (docs/api.md, "Posts"). */
export async function importLines(exchange: Exchange, workspaceId: string): Promise<Response> {
  const { service, facts, body, reply } = exchange;
  const { ports } = service;
  const caller = await admit(exchange, 'analytics:write');
  const workspace = await requireWorkspace(ports, caller, workspaceId);
  const type = mediaTypeOf(facts.request);
  if (!NDJSON.some((known) => known === type)) {
    throw new Refusal({ code: 'unsupported_media_type', accepted: NDJSON });
  }
  // Memory for the report is reserved first, because once lines are stored, the report on them can't be refused.
  reply.hold(MAX_REPORTED);
  // This memory is for the line that is being read.
  holdBody(body, MAX_JSON_BYTES);
  const lines = readPosts(readLines(readBody(body, { caller, lent: true }), MAX_JSON_BYTES), workspace);
  let isRecorded = false;
  const data = await importPosts(ports, workspace, lines, {
    signal: facts.signal,
    async beforeBatch() {
      await caller.requireStillAdmitted();
      // The import is recorded before its first batch, because the lines of a batch are kept even if the body ends
      // early.
      if (!isRecorded)
        recordDone(exchange, requireEntry(caller, workspace.id).actor, {
          action: 'posts.import',
          workspaceId: workspace.id,
          subjects: [null],
        });
      isRecorded = true;
    },
  });
  const taken = data.lines - data.rejected;
  const message = `${taken} of ${data.lines} ${data.lines === 1 ? 'line was' : 'lines were'} accepted.`;
  return Response.json({ data, message });
}

/**
 * Yields the post in each line, or why the line is rejected. A line of the maximum length has room for the longest
 * post, even with every character escaped.
 */
async function* readPosts(lines: AsyncIterable<Line>, workspace: Workspace): AsyncGenerator<PostLine> {
  for await (const { number, bytes } of lines) {
    const line = bytes
      ? readPost(number, bytes, workspace)
      : refuseLine(number, `not longer than ${MAX_JSON_BYTES} bytes`);
    // A chunk may contain thousands of lines, and a line may take milliseconds, so other work gets a turn after each
    // line.
    await turns.next();
    if (line) yield line;
  }
}

const WHITE_SPACE = new Set([0x09, 0x0a, 0x0d, 0x20]);

function readPost(number: number, bytes: Uint8Array, workspace: Workspace): PostLine | null {
  if (bytes.every((byte) => WHITE_SPACE.has(byte))) return null;
  const value = parseLine(bytes);
  if (value instanceof InvalidJson) return refuseLine(number, value.message);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuseLine(number, 'a JSON object');
  const read = v.safeParse(postLine, value);
  if (!read.success) return { number, errors: fieldErrorsOf(read.issues), named: namedIn(value) };
  const { profile, published_at, external_id, text, media_content_ids, metrics } = read.output;
  const publishedAt = readPublishedAt(published_at, workspace);
  if (typeof publishedAt !== 'number') return { number, errors: publishedAt, named: namedIn(value) };
  return {
    number,
    post: {
      profileId: profile,
      externalId: external_id,
      publishedAt,
      ...(text !== undefined && { text }),
      ...(media_content_ids !== undefined && { mediaIds: media_content_ids ?? [] }),
      ...(metrics && { metrics: given(metrics) }),
    },
  };
}

/**
 * Returns the ids that an invalid line names, but no more media ids than a valid line may have, because a whole batch
 * of lines is in memory at a time.
 */
function namedIn(value: object): PostReferences {
  const { profile, media_content_ids: media }: PostReferences = value;
  return { profile, media_content_ids: Array.isArray(media) ? media.slice(0, MAX_MEDIA_PER_POST) : null };
}

const refuseLine = (number: number, what: string): PostLine => ({
  number,
  errors: { line: [`The line must be ${what}.`] },
  named: {},
});

function parseLine(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof InvalidJson) return error;
    throw error;
  }
}
