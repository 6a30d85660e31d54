import { type Actor, parseUuid, type Uuid } from '@postshelf/domain';
import type { Caller } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { nameOf } from '../index.ts';
import { type AnyOperation, changes } from '../operation.ts';

interface Done {
  readonly action: string;
  readonly workspaceId: Uuid | null;
  /** An entry for each; one without any for `[null]`. */
  readonly subjects: readonly (Uuid | null)[];
}

type Recording = Pick<Exchange, 'service' | 'facts'>;

/** Every route that changes something without being an operation calls this once it has. @param actor null: nobody known */
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
 * Records an operation that has changed something, with an entry for what it was done to, and for each that it made.
 *
 * @param found the resource of the operation's path
 * @param shown its answer; undefined if it ended early, and may have done a part
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

/** Not those of an answer for many that were left as they are. */
function madeIn(shown: unknown): readonly (Uuid | null)[] {
  const data = fieldOf(shown, 'data');
  return Array.isArray(data) ? data.filter((each) => fieldOf(each, 'ok') !== false).map(idOf) : [idOf(data)];
}

/** Items come with their covers, jobs with their subject, and sessions as the id in the path; `current` is none. */
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
