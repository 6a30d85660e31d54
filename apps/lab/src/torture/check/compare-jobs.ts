import { hold } from '../violation.ts';
import type { JobRow, Rows } from './rows.ts';

/**
 * Milliseconds for which a job is leased, by kind (docs/reliability.md). The time left of a lease must not exceed this.
 */
const LEASES: Readonly<Record<string, number>> = {
  import: 30_000,
  fit: 30_000,
  cover: 30_000,
  preview: 30_000,
  delivery: 30_000,
  check: 60_000,
  removal: 10_000,
};

/** Milliseconds for which a confirmation leases a presigned upload. */
const TICKET_LEASE = 30_000;

/**
 * Milliseconds by which the end of a lease may exceed its limit, because clocks differ and time passes between checks.
 */
const SLACK = 1000;

/**
 * Compares jobs with their subjects in all workspaces. An item must have an import or fit job exactly while it is
 * `processing`, and a ticket exactly while it is `temporary`. A workspace must have a removal job exactly while it is
 * being removed. No lease may end later than a lease that begins now.
 *
 * @throws Violation
 */
export function compareJobs({ media, jobs, tickets, workspaces }: Rows): void {
  const idsOf = (status: string): readonly string[] => media.filter((row) => row.status === status).map(({ id }) => id);
  const subjectsOf = (...kinds: readonly string[]): readonly string[] =>
    jobs.filter(({ kind }) => kinds.includes(kind)).map(({ subject }) => subject);
  requirePairs('processing', idsOf('processing'), subjectsOf('import', 'fit'));
  requirePairs(
    'temporary',
    idsOf('temporary'),
    tickets.map(({ mediaId }) => mediaId),
  );
  const going = workspaces.filter(({ isGoing }) => isGoing).map(({ id }) => id);
  requirePairs('being removed', going, subjectsOf('removal'));
  const active = new Set(idsOf('active'));
  const aimless = subjectsOf('cover', 'preview').filter((id) => !active.has(id));
  hold(aimless.length === 0, 'Covers or previews are to be made of what isn’t there.', { aimless });
  const now = Date.now();
  const long = [
    ...jobs.filter(({ kind, owner, dueAt }) => owner !== null && (dueAt ?? 0) > now + (LEASES[kind] ?? 0) + SLACK),
    ...tickets.filter(({ leaseUntil }) => (leaseUntil ?? 0) > now + TICKET_LEASE + SLACK),
  ];
  hold(long.length === 0, 'A lease lasts longer than leases do.', { long });
}

function requirePairs(what: string, waiting: readonly string[], held: readonly string[]): void {
  const [those, these] = [new Set(waiting), new Set(held)];
  const alone = waiting.filter((id) => !these.has(id));
  hold(alone.length === 0, `Something is ${what} and nobody will see to it.`, { alone });
  const stale = held.filter((id) => !those.has(id));
  hold(stale.length === 0, `Work is left for what isn’t ${what}.`, { stale });
}

/** Returns the jobs that have to end while no client sends requests. */
export const unfinished = ({ jobs }: Rows): readonly JobRow[] => jobs.filter((job) => !isAtRest(job));

/**
 * Whether a job may remain when no client sends requests: the check of objects that is due later, or a job for previews
 * that was interrupted too often. Such previews are made when they are requested.
 */
function isAtRest({ kind, owner, dueAt, reason }: JobRow): boolean {
  if (kind === 'check') return owner === null && dueAt !== null && dueAt > Date.now();
  return kind === 'preview' && dueAt === null && reason === 'It was interrupted too often.';
}
