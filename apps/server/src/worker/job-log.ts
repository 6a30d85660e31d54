import { ImportRejected, type JobRunnerOptions, type ObjectProblem } from '@postshelf/application';
import { type Job, type JobKind, RemoteError } from '@postshelf/domain';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { FailureNews } from './failure-news.ts';

/**
 * Maximum log lines about missing objects. If the wrong storage is configured, every object is missing, and then the
 * first lines and the count suffice.
 */
const MAX_LINES = 1000;

type Level = 'debug' | 'info' | 'warn' | 'error';

/** The levels of outcomes, by kind of job. Outcomes that aren't listed are logged as `info`. */
const LEVELS: Readonly<Partial<Record<JobKind, Readonly<Record<string, Level>>>>> = {
  preview: { made: 'debug', gone: 'debug', missing: 'error', unkept: 'warn' },
  delivery: { failed: 'warn', disabled: 'warn', none: 'debug' },
  check: { missing: 'error', stopped: 'debug', held: 'debug' },
  removal: { removed: 'debug', stopped: 'debug' },
};

const levelOf = (kind: JobKind, outcome: string): Level => {
  if (outcome === 'later') return 'debug';
  return LEVELS[kind]?.[outcome] ?? (outcome === 'fault' ? 'error' : 'info');
};

/** Returns why a job failed, in the fields that log lines of refused requests have for the reason. */
function reasonOf(cause: unknown): { readonly field?: string; readonly code?: string } {
  if (cause instanceof ImportRejected) return { field: 'url', code: cause.reason };
  return cause instanceof RemoteError ? { field: 'url', code: cause.problem.kind } : {};
}

function subjectOf(job: Job): Readonly<Record<string, unknown>> {
  const { kind, subjectId } = job;
  if (kind === 'delivery') return { webhook: subjectId };
  if (kind === 'removal') return { workspace: subjectId };
  if (kind === 'check') return { library: subjectId };
  return { media: subjectId };
}

/** Returns the fields of a job's payload that operators may search the log for. */
function termsOf({ payload }: Job): Readonly<Record<string, unknown>> {
  if (payload === null) return {};
  if ('target' in payload) return { target: payload.target };
  return payload.requestId === null ? {} : { id: payload.requestId };
}

/**
 * Counts and logs the outcomes of jobs. Due jobs are looked for ten times a second, so a database that refuses every
 * claim, because it is full or read-only, is reported once in ten minutes for each kind.
 */
export function logJobs({
  log,
  metrics,
}: Pick<Telemetry, 'log' | 'metrics'>): Pick<JobRunnerOptions, 'onEnd' | 'onError'> {
  const news = new Map<JobKind, FailureNews>();
  const newsOf = (kind: JobKind): FailureNews => {
    const own = news.get(kind) ?? new FailureNews();
    news.set(kind, own);
    return own;
  };
  return {
    onEnd(job, { outcome, cause, details }) {
      const { kind } = job;
      newsOf(kind).clear();
      metrics?.jobEnded(kind, outcome);
      const fields = { ...subjectOf(job), ...termsOf(job), outcome, ...details, ...reasonOf(cause), err: cause };
      log[levelOf(kind, outcome)]({ kind, ...fields }, 'job');
    },
    onError: (kind, err) =>
      log[newsOf(kind).has(err) ? 'error' : 'debug']({ kind, err }, 'jobs could not be worked on'),
  };
}

/** Logs each object that the check of the whole storage finds missing or damaged. */
export const logMissingObjects =
  ({ log, metrics }: Telemetry) =>
  ({ id, problem, expected, found }: ObjectProblem, count: number): void => {
    metrics?.mediaMissing();
    if (count > MAX_LINES) return;
    const details = { media: id, problem, expected, found };
    log.error(details, 'the bytes of an active media item are missing');
    if (count === MAX_LINES)
      log.error('more missing objects of this pass are only counted (docs/operating/monitoring.md)');
  };
