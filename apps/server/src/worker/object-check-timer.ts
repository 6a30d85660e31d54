import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { checkObjects, type ObjectProblem, type Resources } from '@postshelf/application';
import type { Config } from '../config/config.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

const INTERVAL = 60_000;

/** If the whole storage is the wrong one, the count and the first lines suffice. */
const MAX_LINES = 1000;

/**
 * At start and then whenever a pass is due.
 *
 * @returns null if the settings disable it
 */
export function startObjectCheckTimer(
  { checkObjectsPerSecond }: Pick<Config, 'checkObjectsPerSecond'>,
  ports: Resources,
  { log, metrics }: Telemetry,
): { stop(): Promise<void> } | null {
  if (checkObjectsPerSecond === 0) return null;
  const onMissing = ({ id, problem, expected, found }: ObjectProblem, count: number): void => {
    metrics?.mediaMissing();
    if (count > MAX_LINES) return;
    const details = { media: id, problem, expected, found };
    log.error(details, 'the bytes of an active media item are missing');
    if (count === MAX_LINES)
      log.error('more missing objects of this pass are only counted (docs/operating/monitoring.md)');
  };
  const owner = randomUUID();
  const check = async (signal: AbortSignal): Promise<void> => {
    const pause = (): Promise<void> =>
      delay(1000 / checkObjectsPerSecond, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    if ((await checkObjects(ports, { owner, pause, signal, onMissing })) !== 'finished') return;
    const { lastChecked, lastMissing } = await ports.objectChecks.find();
    log[lastMissing > 0 ? 'error' : 'info']({ checked: lastChecked, missing: lastMissing }, 'all objects were checked');
  };
  return every(INTERVAL, check, log);
}
