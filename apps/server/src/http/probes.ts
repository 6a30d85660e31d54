import type { RequestFacts } from '@postshelf/api';
import type { Database } from '@postshelf/database';
import { Refusal } from '@postshelf/domain';
import type { Composition } from '../compose/compose.ts';
import { redact } from '../telemetry/log/redact.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { firstLine, wayOutOf } from '../telemetry/system-errors.ts';
import type { RunningFence } from '../worker/fence.ts';
import type { OperatorAccess } from './operator-access.ts';

/** Milliseconds within which `/ready` answers. This is less than the usual timeouts of load balancers. */
const READY_TIME = 3_000;

export interface Probed extends Pick<Composition, 'findSecretProblem'> {
  readonly ports: Pick<Composition['ports'], 'storage' | 'locations' | 'jobs'>;
  readonly database: Pick<Database, 'check' | 'checkWrites'>;
  readonly fence: Pick<RunningFence, 'problem'>;
}

type Probe = Pick<RequestFacts, 'request' | 'peer'>;

/** Handles `/health`, which answers as long as the process runs. */
export const health = (): Response => Response.json({ status: 'ok' });

/**
 * Handles `/ready`. The service is ready if the database and the storage can be written to, the secret exists, no other
 * copy of the library is active, and the server isn't about to stop. Otherwise, or without a result within {@link
 * READY_TIME}, the answer is 503. Operators also get the reasons, or the counts of jobs by kind if the service is
 * ready. Requests that arrive during a check share its result.
 *
 * @param onFault called with the reason why the service isn't ready
 */
export function readiness<P extends Probe>(
  probed: Probed,
  isStopping: () => boolean,
  hasAccess: OperatorAccess,
  onFault: (cause: Refusal, probe: P) => void,
): (probe: P) => Promise<Response> {
  let running: RunningCheck | null = null;
  return async (probe) => {
    if (isStopping()) return Response.json({ message: 'The service is stopping.' }, { status: 503 });
    if (running === null) {
      const started = startCheck(probed);
      running = started;
      started.ended.finally(() => {
        running = null;
      });
    }
    const failures = await resultInTime(running);
    const isOperator = hasAccess(probe.request, probe.peer);
    if (failures.length === 0) {
      return Response.json({ status: 'ready', ...(isOperator && { jobs: await jobsIn(probed.ports) }) });
    }
    const message = 'The service is not ready.';
    const causes = failures.map(({ cause }) => cause);
    const cause = causes.length === 1 ? causes[0] : new AggregateError(causes, message);
    onFault(new Refusal({ code: 'unavailable', message }, { cause }), probe);
    const reasons = [...new Set(failures.map(describeFailure))];
    const body = isOperator ? { message, reasons } : { message };
    return Response.json(body, { status: 503, headers: { 'Retry-After': '5' } });
  };
}

/**
 * Returns the counts of jobs by kind; null if they can't be read, which doesn't affect whether the service is ready.
 */
async function jobsIn({ jobs }: Probed['ports']): Promise<Readonly<Record<string, object>> | null> {
  const figures = await jobs.figures().catch(() => null);
  return (
    figures &&
    Object.fromEntries(
      [...figures].map(([kind, { waiting, running, retried, failed, oldest }]) => [
        kind,
        { waiting, running, retried, failed, oldest: oldest === null ? null : new Date(oldest).toISOString() },
      ]),
    )
  );
}

interface Failure {
  readonly cause: unknown;
  /** The part that was checked. */
  readonly place: string;
}

interface RunningCheck {
  /** The failures that the check has found so far. */
  readonly failures: readonly Failure[];
  /** Returns the parts whose checks haven't ended yet. */
  readonly waitsFor: () => readonly string[];
  readonly ended: Promise<unknown>;
}

function startCheck({ ports, database, fence, findSecretProblem }: Probed): RunningCheck {
  const failures: Failure[] = [];
  const checkSecret = async (): Promise<void> => {
    const problem = await findSecretProblem();
    if (problem !== null) throw new Error(problem);
  };
  const checkFence = async (): Promise<void> => {
    const problem = fence.problem();
    if (problem !== null) throw new Error(problem);
  };
  const { locations, storage } = ports;
  const checks = [
    { place: 'the library', result: checkFence() },
    { place: locations.database, result: database.check() },
    { place: locations.database, result: database.checkWrites() },
    { place: locations.storage, result: storage.check() },
    { place: 'the secret', result: checkSecret() },
  ];
  const waiting = new Set(checks);
  const ends = checks.map(async (check) => {
    await check.result.catch((cause: unknown) => void failures.push({ cause, place: check.place }));
    waiting.delete(check);
  });
  return {
    failures,
    waitsFor: () => [...new Set([...waiting].map(({ place }) => place))],
    ended: Promise.all(ends),
  };
}

async function resultInTime({ failures, waitsFor, ended }: RunningCheck): Promise<readonly Failure[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly Failure[]>();
  const giveUp = (): void =>
    resolve(
      waitsFor().map((place) => ({ cause: new Error(`No answer from ${place} within ${READY_TIME} ms.`), place })),
    );
  const timer = setTimeout(giveUp, READY_TIME);
  const more = await Promise.race([ended.then(() => []), late]);
  clearTimeout(timer);
  return [...failures, ...more];
}

/**
 * Describes a failure. Most errors say what failed and what to do, so their message is enough. Errors of the operating
 * system say neither, so the place of the failure and a remedy are added.
 */
function describeFailure({ cause, place }: Failure): string {
  const reason = reasonOf(cause);
  const wayOut = wayOutOf(cause);
  return wayOut === null ? reason : redact(`${place}: ${reason.replace(/\.$/, '')}. ${wayOut}`);
}

/**
 * Returns the first line of an error's message. For a refusal, which only says that something is unavailable, returns
 * that of the error that caused it.
 */
export function reasonOf(failure: unknown): string {
  if (failure instanceof Refusal && failure.cause instanceof Error) return reasonOf(failure.cause);
  return redact(firstLine(failure instanceof Error ? failure.message : String(failure)));
}

/**
 * Serves `/metrics` in Prometheus' text format.
 *
 * @throws Refusal `unauthenticated` if the client may not read metrics
 */
export async function figures(metrics: Metrics, { request, peer }: Probe, hasAccess: OperatorAccess) {
  if (!hasAccess(request, peer)) throw new Refusal({ code: 'unauthenticated' });
  return new Response(await metrics.render(), { headers: { 'Content-Type': metrics.contentType } });
}
