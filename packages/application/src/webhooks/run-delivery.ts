import {
  type Attempt,
  type DeliveryOutcome,
  type DueDelivery,
  type Job,
  reasonToDisable,
  retryAt,
  signingSecrets,
} from '@postshelf/domain';
import { done, type JobContext, type JobEnd, type JobHandler, later, oneByOne } from '../jobs/job-handler.ts';
import type { Ports } from '../ports.ts';

export interface DeliveryOptions {
  /** Milliseconds before the second attempt, the third, and so on. */
  readonly retryDelays: readonly number[];
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Milliseconds until a webhook's job is due again after it found no due delivery. The job may have been due only by the
 * clock of another machine.
 */
const NONE_TIME = 1000;

type DeliverPorts = Pick<Ports, 'deliveries' | 'webhookSecrets' | 'webhookSender' | 'clock'>;

/**
 * Sends the longest-waiting delivery of a webhook. Outcomes: `delivered`, `retry`, `failed` (no further attempt),
 * `disabled` (the webhook has also been disabled), `none` (nothing is due any more).
 */
export const deliveryHandler = (ports: DeliverPorts, options: DeliveryOptions): JobHandler<'delivery'> => ({
  kind: 'delivery',
  run: oneByOne((job, context) => deliver(ports, options, job, context)),
});

async function deliver(
  ports: DeliverPorts,
  options: DeliveryOptions,
  { subjectId }: Job<'delivery'>,
  { owner, signal }: JobContext,
): Promise<JobEnd> {
  const { deliveries, clock } = ports;
  const due = await deliveries.next(subjectId, clock.now());
  if (due === null) {
    await deliveries.putBack(subjectId, owner, clock.now() + NONE_TIME);
    return done('none');
  }
  let attempt: Attempt;
  try {
    attempt = await send(ports, due, signal);
  } catch (cause) {
    if (signal.aborted) return { ...later(0), details: detailsOf(due, null) };
    throw cause;
  }
  const outcome = judge(due, attempt, options, clock.now());
  await deliveries.finish(due.delivery, owner, outcome);
  return { ...done(wordFor(outcome)), details: detailsOf(due, attempt) };
}

const detailsOf = ({ delivery, webhook }: DueDelivery, attempt: Attempt | null) => ({
  delivery: delivery.id,
  event: delivery.event.type,
  // Paths and queries may hold secrets of the receiver.
  host: URL.parse(webhook.url)?.host,
  status: attempt?.status,
  reason: attempt === null || attempt.ok ? undefined : attempt.error,
});

async function send(
  { webhookSecrets, webhookSender, clock }: DeliverPorts,
  { delivery, webhook, secrets, payload }: DueDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  const at = clock.now();
  const [current = null, ...others] = signingSecrets(secrets, at).map((sealed) =>
    webhookSecrets.open(webhook.id, sealed),
  );
  if (current === null) return { ok: false, status: null, error: 'secret' };
  const signing = [current, ...others.filter((secret) => secret !== null)];
  return webhookSender.send({ url: webhook.url, id: delivery.event.id, at, payload, secrets: signing, signal });
}

function judge(
  { delivery, failingSince }: DueDelivery,
  attempt: Attempt,
  { retryDelays, random }: DeliveryOptions,
  now: number,
): DeliveryOutcome {
  if (attempt.ok) return { attempt, nextAttemptAt: null, disable: null, now };
  const disable = reasonToDisable(attempt.status, failingSince, now);
  if (disable === 'gone') return { attempt, nextAttemptAt: null, disable, now };
  const nextAttemptAt = retryAt(retryDelays, delivery.attempts + 1, now, random(), attempt.retryAfter);
  return { attempt, nextAttemptAt, disable, now };
}

function wordFor({ attempt, nextAttemptAt, disable }: DeliveryOutcome): 'delivered' | 'disabled' | 'failed' | 'retry' {
  if (attempt.ok) return 'delivered';
  if (disable !== null) return 'disabled';
  return nextAttemptAt === null ? 'failed' : 'retry';
}
