import { JOB_RULES, type Job, type JobKind, type JobRules } from '@postshelf/domain';
import { type JobEnd, type JobOptions, JobRunner, type JobRunnerPorts, type Ports } from '../../src/index.ts';
import { nextTurn, until } from './waiting.ts';
import { replacing } from './world.ts';

export interface TestRunnerOptions extends Partial<Omit<JobOptions, 'rules'>> {
  /** Rules that replace those in {@link JOB_RULES}. */
  readonly rules?: Partial<JobRules>;
  readonly isQuiet?: () => boolean;
}

/**
 * How a job ended. `job` is null for an error that {@link JobRunner} reported to `onError` without a job: `cause` is
 * that error, and the outcome is `error`.
 */
type Ended = { readonly outcome: string; readonly cause?: unknown; readonly job: Job | null };

export interface TestRunner {
  readonly runner: JobRunner;
  /** How jobs ended, in order. */
  readonly ends: readonly Ended[];
  /**
   * Waits until at least `count` jobs have ended, no work is in progress, and no jobs are being claimed. Resolves with
   * the outcomes.
   *
   * @param isKilled returns whether the process was killed; if it was, this no longer waits
   */
  heard(count: number, isKilled?: () => boolean): Promise<readonly string[]>;
  /** Runs jobs until none is due; returns the outcomes since the last call. */
  runAll(): Promise<readonly string[]>;
}

/** Starts a runner for these handlers, with the usual rules unless the test overrides some of them. */
export function startRunner(
  ports: JobRunnerPorts,
  handlers: ConstructorParameters<typeof JobRunner>[1],
  { rules, perWorkspace = null, mayClaim, isQuiet = () => true }: TestRunnerOptions = {},
): TestRunner {
  const ends: Ended[] = [];
  let [claiming, begun, ended, returned] = [0, 0, 0, 0];
  const jobs = replacing(ports.jobs, {
    async claim(request) {
      claiming += 1;
      return ports.jobs.claim(request).finally(() => {
        claiming -= 1;
      });
    },
  });
  const runner = new JobRunner({ ...ports, jobs }, handlers, {
    optionsOf: (kind) => ({ rules: { ...JOB_RULES[kind], ...rules }, perWorkspace, ...(mayClaim && { mayClaim }) }),
    isQuiet,
    within: async (_, work) => {
      begun += 1;
      await work().finally(() => {
        ended += 1;
      });
    },
    onEnd: (job: Job, { outcome, cause }: JobEnd) => void ends.push({ job, outcome, cause }),
    onError: (_, cause) => void ends.push({ job: null, outcome: 'error', cause }),
  });
  const runOnce = async (): Promise<boolean> => {
    const before = begun;
    await runner.runDue();
    await nextTurn();
    await until(() => ended === begun && claiming === 0);
    return begun !== before;
  };
  return {
    runner,
    ends,
    async heard(count, isKilled = () => false) {
      await until(() => isKilled() || (ends.length >= count && (ended >= count || ended === begun)));
      await nextTurn();
      await until(() => isKilled() || claiming === 0);
      return ends.map(({ outcome }) => outcome);
    },
    async runAll() {
      while (await runOnce());
      const since = ends.slice(returned);
      returned = ends.length;
      return since.map(({ outcome }) => outcome);
    },
  };
}

/**
 * Claims jobs of a kind for an owner other than the test's runners. The owner behaves like a process that may be
 * killed.
 */
export function claimJobs<Kind extends JobKind>(
  { jobs, clock }: Pick<Ports, 'jobs' | 'clock'>,
  kind: Kind,
  owner: string,
  lasting: number = JOB_RULES[kind].leaseTime,
): Promise<readonly Job<Kind>[]> {
  const now = clock.now();
  const lease = { owner, until: now + lasting };
  return jobs.claim({ kind, rules: JOB_RULES[kind], now, lease, perWorkspace: null, without: [] });
}

/** Returns the number of jobs that haven't failed. */
export async function countJobs({ jobs }: Pick<Ports, 'jobs'>, kind: JobKind): Promise<number> {
  const { waiting = 0, running = 0 } = (await jobs.figures()).get(kind) ?? {};
  return waiting + running;
}
