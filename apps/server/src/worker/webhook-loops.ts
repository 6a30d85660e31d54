import { setTimeout as delay } from 'node:timers/promises';
import { showEvent } from '@postshelf/api';
import { type DeliveryEnd, deliverDue, fanOut } from '@postshelf/application';
import type { LibraryEvent } from '@postshelf/domain';
import type { Composition } from '../compose/compose.ts';
import type { Config } from '../config/config.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

const POLL_INTERVAL = 200;

/** Milliseconds after a failure, which mostly is a database that is out of reach. */
const FAULT_PAUSE = 1000;

const LEVELS = {
  delivered: 'info',
  retry: 'info',
  failed: 'warn',
  disabled: 'warn',
  later: 'debug',
  fault: 'error',
} as const;

/** Makes deliveries of events, and sends those that are due. `stop` puts back what is being sent. */
export function startWebhookLoops(
  { webhookRetryDelays: retryDelays }: Pick<Config, 'webhookRetryDelays'>,
  { ports, store, hasLibrarySecret }: Pick<Composition, 'ports' | 'store' | 'hasLibrarySecret'>,
  { log, metrics }: Telemetry,
): { stop(): Promise<void> } {
  const payloadOf = (event: LibraryEvent): string => JSON.stringify(showEvent(store, event));
  let hasWebhooks = false;
  const areThereAny = async (): Promise<boolean> => {
    hasWebhooks ||= (await ports.webhooks.count()) > 0;
    return hasWebhooks;
  };
  let canSign = false;
  let isTold = false;
  const mayDeliver = async (): Promise<boolean> => {
    canSign ||= await hasLibrarySecret();
    if (!canSign && !isTold) {
      isTold = true;
      log.warn('JWT_SECRET is not that of the library: webhooks are not delivered by this process');
    }
    return canSign;
  };
  const onEnd = ({ due: { delivery, webhook }, outcome, attempt, cause }: DeliveryEnd): void => {
    if (outcome !== 'later') metrics?.webhookTried(outcome);
    const told = {
      webhook: webhook.id,
      delivery: delivery.id,
      event: delivery.event.type,
      // Paths and queries may hold secrets of the receiver.
      host: URL.parse(webhook.url)?.host,
      outcome,
      status: attempt?.status,
      reason: attempt === null || attempt.ok ? undefined : attempt.error,
      err: cause,
    };
    log[LEVELS[outcome]](told, 'webhook');
  };
  const pausing =
    (work: (signal: AbortSignal) => Promise<void>) =>
    async (signal: AbortSignal): Promise<void> => {
      try {
        if (await areThereAny()) await work(signal);
      } catch (err) {
        log.error({ err }, 'webhooks could not be worked on');
        await delay(FAULT_PAUSE, undefined, { signal }).catch(() => undefined);
      }
    };
  const loops = [
    every(
      POLL_INTERVAL,
      pausing((signal) => fanOut(ports, payloadOf, signal)),
      log,
    ),
    every(
      POLL_INTERVAL,
      pausing(async (signal) => {
        if (await mayDeliver()) await deliverDue(ports, { retryDelays, random: Math.random, onEnd }, signal);
      }),
      log,
    ),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
