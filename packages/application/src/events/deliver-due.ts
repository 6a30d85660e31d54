import {
  type Attempt,
  type DeliveryOutcome,
  type DueDelivery,
  MAX_FAILING,
  retryAt,
  signingSecrets,
} from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';

/** Milliseconds; longer than a try may take, so that no lease has to be renewed. */
const LEASE_TIME = 30_000;

const BUSY_TIME = 1000;

/** Milliseconds until deliveries are noticed that came while others are being made. */
const LOOK_INTERVAL = 200;

/**
 * `later`: no slot was free, or the worker stops; `fault`: an error, after which it is tried again when its lease has
 * expired.
 */
export interface DeliveryEnd {
  readonly due: DueDelivery;
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'disabled' | 'later' | 'fault';
  /** null if nothing is known of one. */
  readonly attempt: Attempt | null;
  readonly cause?: unknown;
}

export interface DeliverOptions {
  /** Milliseconds before the second try, the third, and so on. */
  readonly retryDelays: readonly number[];
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onEnd: (end: DeliveryEnd) => void;
}

type DeliverPorts = Pick<Ports, 'deliveries' | 'webhookSecrets' | 'webhookSender' | 'clock' | 'ids'> &
  Pick<Shared, 'shares'>;

/**
 * Sends what is due, as much at once as there are slots, until nothing is left and the last try has ended.
 *
 * @param signal stops the tries under way and puts them back
 */
export async function deliverDue(ports: DeliverPorts, options: DeliverOptions, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<void>>();
  try {
    while (!signal.aborted) {
      const started = await startNext(ports, options, signal);
      if (started !== null) {
        const { ended } = started;
        running.add(ended);
        void ended.then(() => running.delete(ended));
      } else if (running.size === 0) return;
      // A slot that is free again is used at once.
      else await firstOf(running, LOOK_INTERVAL);
    }
  } finally {
    await Promise.all(running);
  }
}

/** null if nothing is due for which there is a slot. */
async function startNext(
  ports: DeliverPorts,
  options: DeliverOptions,
  signal: AbortSignal,
): Promise<{ readonly ended: Promise<void> } | null> {
  const without = ports.shares.workspacesAtLimit('deliveries');
  if (without === null) return null;
  const owner = ports.ids.next();
  const now = ports.clock.now();
  const due = await ports.deliveries.claim({ now, lease: { owner, until: now + LEASE_TIME }, without });
  if (due === null) return null;
  const releaseSlot = ports.shares.tryTake('deliveries', due.delivery.workspaceId);
  const work = async (): Promise<void> => {
    try {
      const end =
        releaseSlot === null
          ? await putBack(ports, due, owner, BUSY_TIME)
          : await deliver(ports, options, due, owner, signal);
      options.onEnd({ due, ...end });
    } catch (cause) {
      options.onEnd({ due, outcome: 'fault', attempt: null, cause });
    } finally {
      releaseSlot?.();
    }
  };
  return { ended: work() };
}

type End = Omit<DeliveryEnd, 'due'>;

async function deliver(
  ports: DeliverPorts,
  options: DeliverOptions,
  due: DueDelivery,
  owner: string,
  signal: AbortSignal,
): Promise<End> {
  let attempt: Attempt;
  try {
    attempt = await send(ports, due, signal);
  } catch (cause) {
    if (signal.aborted) return putBack(ports, due, owner, 0);
    throw cause;
  }
  const outcome = judge(due, attempt, options, ports.clock.now());
  await ports.deliveries.finish(due.delivery.id, owner, outcome);
  return { outcome: wordFor(outcome), attempt };
}

async function putBack(
  { deliveries, clock }: DeliverPorts,
  { delivery }: DueDelivery,
  owner: string,
  pause: number,
): Promise<End> {
  await deliveries.release(delivery.id, owner, clock.now() + pause);
  return { outcome: 'later', attempt: null };
}

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
  { retryDelays, random }: DeliverOptions,
  now: number,
): DeliveryOutcome {
  if (attempt.ok) return { attempt, nextAttemptAt: null, disable: null, now };
  if (attempt.status === GONE) return { attempt, nextAttemptAt: null, disable: 'gone', now };
  const nextAttemptAt = retryAt(retryDelays, delivery.attempts + 1, now, random());
  const isFailing = failingSince !== null && now - failingSince >= MAX_FAILING;
  return { attempt, nextAttemptAt, disable: isFailing ? 'failing' : null, now };
}

/** RFC 9110 section 15.5.11; by Standard Webhooks the receiver wants no more. */
const GONE = 410;

function wordFor({ attempt, nextAttemptAt, disable }: DeliveryOutcome): DeliveryEnd['outcome'] {
  if (attempt.ok) return 'delivered';
  if (disable !== null) return 'disabled';
  return nextAttemptAt === null ? 'failed' : 'retry';
}

async function firstOf(promises: Iterable<Promise<void>>, milliseconds: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([...promises, late]);
  clearTimeout(timer);
}
