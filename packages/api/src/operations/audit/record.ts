import { type Actor, parseUuid, type Uuid } from '@postshelf/domain';
import type { Caller } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { nameOf } from '../index.ts';
import { type AnyOperation, changes } from '../operation.ts';

interface Done {
  readonly action: string;
  readonly workspaceId: Uuid | null;
  /** The ids of the subjects, each of which gets an entry in the log; `[null]` for an action without a subject. */
  readonly subjects: readonly (Uuid | null)[];
}

type Recording = Pick<Exchange, 'service' | 'facts'>;

/**
 * Records a change made by a route that isn't an operation. Every such route calls this.
 *
 * @param actor null if unknown
 */
export function recordDone(
  { service, facts }: Recording,
  actor: Actor | null,
  { action, workspaceId, subjects }: Done,
): void {
  const tokenId = actor?.kind === 'token' ? actor.id : null;
  const personId = actor?.kind === 'person' ? actor.id : null;
  service.auditLog.record(
    subjects.map((subjectId) => ({ tokenId, personId, action, subjectId, workspaceId, address: facts.address })),
  );
}

/**
 * Records an operation that has changed something, with one entry for the changed resource, and one for each created
 * one.
 *
 * @param found the resource of the operation's path
 * @param shown the operation's answer; undefined if the operation ended early and may be partly done
 */
export function recordOperation(
  operation: AnyOperation,
  exchange: Recording,
  caller: Caller,
  found: unknown,
  shown: unknown,
): void {
  if (!changes(operation)) return;
  const isInWorkspace = operation.path.startsWith('/workspaces/{workspace}/');
  const made = operation.method === 'POST' ? madeIn(shown) : [null];
  const doneTo = operation.within && !isInWorkspace ? (idOf(found) ?? caller.who.session?.id ?? null) : null;
  const subjects = doneTo === null ? made : [doneTo, ...made.filter((id) => id !== null && id !== doneTo)];
  const isWorkspace = operation.path.startsWith('/workspaces') && !isInWorkspace;
  const workspaceId = (isWorkspace ? subjects[0] : isInWorkspace ? idOf(found) : workspaceOf(found)) ?? null;
  const actor = (workspaceId && caller.entryOf(workspaceId)?.actor) ?? caller.actor;
  recordDone(exchange, actor, { action: nameOf(operation), workspaceId, subjects });
}

/** Returns the ids of the created resources. From a list of results, those with `ok: false` are omitted. */
function madeIn(shown: unknown): readonly (Uuid | null)[] {
  const data = fieldOf(shown, 'data');
  return Array.isArray(data) ? data.filter((each) => fieldOf(each, 'ok') !== false).map(idOf) : [idOf(data)];
}

/**
 * Returns the id of a resource. A media item is wrapped in an object with its cover, a job has a `subjectId`, and a
 * session is just the id from the path (null for `current`).
 */
function idOf(resource: unknown): Uuid | null {
  const subject = fieldOf(resource, 'item') ?? resource;
  const id = typeof subject === 'string' ? subject : (fieldOf(subject, 'id') ?? fieldOf(subject, 'subjectId'));
  return typeof id === 'string' ? parseUuid(id) : null;
}

function workspaceOf(resource: unknown): Uuid | null {
  const id = fieldOf(fieldOf(resource, 'item') ?? resource, 'workspaceId');
  return typeof id === 'string' ? parseUuid(id) : null;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
