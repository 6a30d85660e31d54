import { showJob } from '@postshelf/api';
import { cancelJob, findJob, listJobs, type Ports, retryJob } from '@postshelf/application';
import {
  JOB_KINDS,
  JOB_STATES,
  type JobKind,
  type JobState,
  type ListedJob,
  MAX_PER_PAGE,
  Refusal,
} from '@postshelf/domain';
import { Command, Option } from 'commander';
import { composeForReading } from '../compose/read-only.ts';
import { print, recordCommand, table, withComposition } from './run.ts';
import { unknownId } from './workspaces.ts';

interface ListOptions {
  readonly kind?: JobKind;
  readonly state?: JobState;
  readonly json?: boolean;
}

interface JsonOption {
  readonly json?: boolean;
}

/** Maximum jobs that one call of `list` prints. */
const MOST = 10 * MAX_PER_PAGE;

export function jobsCommand(): Command {
  const jobs = new Command('jobs').description('list, retry and cancel work in the background');
  jobs
    .command('list')
    .description(`list jobs, by kind and age, at most ${MOST}`)
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(JOB_KINDS))
    .addOption(new Option('--state <state>', 'only in this state').choices(JOB_STATES))
    .option('--json', 'print one JSON object')
    .action(({ kind, state, json }: ListOptions) =>
      withComposition(async ({ ports }) => {
        const filter = { ...(kind && { kind }), ...(state && { state }) };
        const found: ListedJob[] = [];
        for (let page = 1; found.length < MOST; page += 1) {
          const { items } = await listJobs(ports, filter, { page, perPage: MAX_PER_PAGE });
          found.push(...items);
          if (items.length < MAX_PER_PAGE) break;
        }
        print(json, { data: found.map(showJob) }, table(HEADS, found.map(describeJob)));
      }, composeForReading),
    );
  jobs
    .command('retry')
    .description('run a waiting or failed job immediately')
    .argument('<id>', 'as shown by jobs list')
    .option('--json', 'print one JSON object')
    .action((id: string, { json }: JsonOption) =>
      withComposition(async ({ ports }) => {
        const job = await retryJob(ports, await requireJob(ports, id));
        await recordCommand(ports, 'jobs.retry', { subjectId: job.subjectId, workspaceId: job.workspaceId });
        print(json, showJob(job), [`${id} is tried as soon as a service runs.`]);
      }),
    );
  jobs
    .command('cancel')
    .description('cancel a job')
    .argument('<id>', 'as shown by jobs list')
    .option('--json', 'print one JSON object')
    .action((id: string, { json }: JsonOption) =>
      withComposition(async ({ ports }) => {
        const job = await requireJob(ports, id);
        await cancelJob(ports, job);
        await recordCommand(ports, 'jobs.cancel', { subjectId: job.subjectId, workspaceId: job.workspaceId });
        print(json, { id, cancelled: true }, [`${id} has been cancelled.`]);
      }),
    );
  return jobs;
}

/** Finds a job. @throws CommandError for a malformed or unknown id */
const requireJob = (ports: Pick<Ports, 'jobs'>, id: string): Promise<ListedJob> =>
  findJob(ports, id).catch((error: unknown) => {
    throw error instanceof Refusal && error.problem.code === 'not_found' ? unknownId('job', id) : error;
  });

const HEADS = ['ID', 'STATE', 'WORKSPACE', 'ADDED', 'DUE', 'TRIES', 'REASON'];

function describeJob(job: ListedJob): readonly string[] {
  const { id, state, workspace, added_at, due_at, attempts, starts, reason } = showJob(job);
  return [id, state, workspace ?? '', added_at, due_at ?? '', String(attempts + starts), reason ?? ''];
}
