import { AUDIT_LIFE, type AuditEntry, type AuditFilter } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { notReversed, rangeEnd, readRange } from '../fields/range.ts';
import { integer, showTime, uuidOf } from '../fields/values.ts';
import { pageQuery } from '../pagination.ts';

const nullableId = (description: string) => v.nullable(documented(v.string(), { format: 'uuid', description }));

/** A time, in UTC by default, because no workspace sets a time zone. */
const time = v.pipe(rangeEnd, v.metadata({ description: 'Dates, and times without an offset, are UTC.' }));

export const auditQuery = v.pipe(
  v.object({
    workspace: v.optional(uuidOf('Only entries of this workspace, even if it has been deleted.')),
    token: v.optional(uuidOf('Only entries of this token, even if it has been revoked.')),
    from: v.optional(time),
    to: v.optional(time),
    ...pageQuery,
  }),
  notReversed(),
);

/**
 * Reads the filter. Entries beyond the retention period are excluded, because they are about to be pruned.
 *
 * @throws Refusal `invalid` on `to`
 */
export function readAuditFilter(input: v.InferOutput<typeof auditQuery>, now: number): AuditFilter {
  const { from = 0, ...to } = readRange(input, 'UTC');
  return {
    ...(input.workspace && { workspaceId: input.workspace }),
    ...(input.token && { tokenId: input.token }),
    ...to,
    from: Math.max(from, now - AUDIT_LIFE),
  };
}

const counts = {
  rows: integer(),
  objects: integer(),
  previews: integer(),
  events: integer(),
  webhooks: integer(),
  tokens: integer(),
  people: integer(),
  sessions: integer(),
};

export const auditEntry = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    at: documented(v.string(), { format: 'date-time' }),
    token: nullableId(
      'The token that made the change; null for people, the command line, the service itself, and files sent to a presigned URL.',
    ),
    person: nullableId('The person who made the change; null if it was not a person.'),
    action: documented(v.string(), {
      description:
        'The name of the operation, as in tRPC; or `media.upload`, `media.receive`, `posts.import`, `sessions.create`, `uploads.create`, `uploads.append`, `uploads.delete`, or `workspaces.deleted`, the only entry with `counts`. Three commands have names of their own: `tokens.signInLink`, `tokens.resetSecret` and `workspaces.demo`.',
      examples: ['media.update'],
    }),
    subject: nullableId('The id of what was changed or created; null if there is none.'),
    workspace: nullableId('The workspace of the subject; null if the subject is in no workspace.'),
    address: v.nullable(documented(v.string(), { description: 'The IP address of the client; null for commands.' })),
    counts: v.optional(
      documented(v.object(counts), {
        description: 'How much the removal of a workspace has removed. Present only once the removal has finished.',
      }),
    ),
  }),
  {
    title: 'AuditEntry',
    description: 'One change: who changed what, when, and from where.',
    examples: [
      {
        id: '019f5b0e-9b41-7d20-8e17-5c8f0a3b6d92',
        at: '2026-11-21T18:30:00.000Z',
        token: '019f5b0e-2c51-7a64-9d3f-6e8b1a0c4f27',
        person: null,
        action: 'media.update',
        subject: '019f5b0e-6a3d-7e11-8c42-9f0d3b7a5e64',
        workspace: '019f5b0e-1a30-7c52-8f4e-3b6d9c0a7e15',
        address: '203.0.113.7',
      },
    ],
  },
);

export const showEntry = (entry: AuditEntry): v.InferInput<typeof auditEntry> => ({
  id: entry.id,
  at: showTime(entry.at),
  token: entry.tokenId,
  person: entry.personId,
  action: entry.action,
  subject: entry.subjectId,
  workspace: entry.workspaceId,
  address: entry.address,
  ...(entry.counts && { counts: entry.counts }),
});
