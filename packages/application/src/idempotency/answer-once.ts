import {
  type IdempotencyClaim,
  type IdempotencyCompletion,
  KEY_LIFETIME,
  type KeptAnswer,
  keyReused,
  MAX_KEPT_ANSWER_BYTES,
  requestInProgress,
  type Uuid,
} from '@postshelf/domain';
import { keepRenewing } from '../keep-renewing.ts';
import type { Ports } from '../ports.ts';
import { pruneInBatches } from '../prune-in-batches.ts';

type IdempotencyPorts = Pick<Ports, 'idempotency' | 'idempotencySeals' | 'clock' | 'ids'>;

/** Milliseconds until a key can be claimed again if the process that has claimed it is killed. */
const LEASE_TIME = 30_000;

export interface RepeatableRequest {
  readonly caller: RepeatingCaller;
  readonly key: string;
  readRest(): Promise<void>;
  fingerprint(): string;
  /** Returns the part of the response that is stored for repeats. Default: the whole response. */
  readonly strip?: ((answer: Answer) => Answer) | undefined;
}

/**
 * The caller of a repeatable request. If the caller can no longer enter a workspace that the first request entered, or
 * has lost the scope there, the repeat is refused and doesn't reveal the workspace's data.
 */
interface RepeatingCaller {
  /** The owner of the key. */
  readonly id: Uuid;
  /** The workspaces that the request has entered so far. */
  readonly entered: Iterable<Uuid>;
  /** @throws Refusal `not_found`, `missing_scope` */
  reenter(workspaceIds: readonly Uuid[]): void;
}

export type Answer = Pick<KeptAnswer, 'status' | 'body'>;

/**
 * Turns the result of a use case that must not run twice into the response that its transaction stores for repeats.
 * undefined if the request has no key.
 */
export type Completing<Result> = ((result: Result) => IdempotencyCompletion) | undefined;

/**
 * Answers a request at most once: a repeat gets the response to the first request. A failure frees the key. Work that
 * must not be done twice stores the response in its transaction with `complete`. Any other response is stored after the
 * work, so a repeat does the work again if the process is killed in between.
 *
 * @throws Refusal `invalid` on `idempotency_key` if the key was used for another request, `conflict` while the first
 *   request is being answered, `not_found` or `missing_scope` for a repeat; whatever the work throws
 */
export async function answerOnce(
  ports: IdempotencyPorts,
  request: RepeatableRequest,
  work: (complete: (answer: Answer) => IdempotencyCompletion) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly isReplayed: boolean }> {
  const claimed = await claim(ports, request);
  if ('answer' in claimed) return { answer: await replay(ports, request, claimed.answer), isReplayed: true };
  const { idempotency, clock } = ports;
  let isCompleted = false;
  const complete = (answer: Answer): IdempotencyCompletion => {
    isCompleted = true;
    return { claim: claimed, answer: seal(ports, request, answer), expiresAt: clock.now() + KEY_LIFETIME };
  };
  const stopRenewing = keepRenewing(LEASE_TIME, () => idempotency.renew(claimed, clock.now() + LEASE_TIME));
  try {
    const answer = await work(complete);
    if (!isCompleted) await idempotency.complete(complete(answer));
    return { answer, isReplayed: false };
  } catch (error) {
    await idempotency.release(claimed).catch(() => undefined);
    throw error;
  } finally {
    await stopRenewing();
  }
}

async function replay(ports: IdempotencyPorts, request: RepeatableRequest, sealed: Uint8Array): Promise<Answer> {
  const kept = ports.idempotencySeals.open(request.caller.id, request.key, sealed);
  request.caller.reenter(kept.entered);
  await request.readRest();
  if (kept.fingerprint !== request.fingerprint()) throw keyReused();
  return kept;
}

/** @throws Refusal `conflict` */
async function claim(
  ports: IdempotencyPorts,
  { caller, key }: RepeatableRequest,
): Promise<IdempotencyClaim | { readonly answer: Uint8Array }> {
  const { idempotency, idempotencySeals, clock, ids } = ports;
  const owner = ids.next();
  const wanted = { id: idempotencySeals.idOf(caller.id, key), callerId: caller.id, owner };
  const now = clock.now();
  const lease = { owner, until: now + LEASE_TIME };
  const outcome = await idempotency.claim(wanted, lease, { now, expiresAt: now + KEY_LIFETIME });
  if (outcome.state === 'running') throw requestInProgress();
  return outcome.state === 'answered' ? outcome : wanted;
}

function seal(
  ports: IdempotencyPorts,
  { caller, key, fingerprint, strip = (answer) => answer }: RepeatableRequest,
  answer: Answer,
): Uint8Array {
  const kept = { ...strip(answer), fingerprint: fingerprint(), entered: [...caller.entered] };
  const sealed = ports.idempotencySeals.seal(caller.id, key, kept);
  if (sealed.length > MAX_KEPT_ANSWER_BYTES) throw new Error(`An answer of ${sealed.length} bytes can't be kept.`);
  return sealed;
}

/** Prunes expired responses, and responses for invalid tokens. Returns how many were removed. */
export const pruneAnswers = (
  { idempotency, clock }: Pick<Ports, 'idempotency' | 'clock'>,
  signal?: AbortSignal,
): Promise<number> => pruneInBatches((limit) => idempotency.prune(clock.now(), limit), signal);
