import { setTimeout as delay } from 'node:timers/promises';
import { type InspectedItem, inspectAgain, type Resources } from '@postshelf/application';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Task } from './repeat.ts';

const START_DELAY = 3_000;

const INTERVAL = 60_000;

/** Maximum log lines of a process; further ones are only counted. */
const MAX_LINES = 1000;

/**
 * Inspects files one at a time until all have been inspected; then periodically those that clients sent directly to the
 * storage.
 */
export function inspectAgainTask(ports: Resources, { log, metrics }: Telemetry): Task {
  let inspected = 0;
  let lines = 0;
  const onInspected = ({ id, outcome, cause }: InspectedItem): void => {
    inspected += 1;
    metrics?.mediaInspected(outcome);
    if (outcome === 'sound' || lines === MAX_LINES) return;
    lines += 1;
    log.error({ media: id, outcome, err: cause }, 'the file of an active media item is missing, damaged or unreadable');
    if (lines === MAX_LINES) log.error('more such files are only counted (docs/operating/monitoring.md)');
  };
  const look = async (signal: AbortSignal): Promise<void> => {
    const wait = (milliseconds: number): Promise<void> =>
      delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    const before = inspected;
    const outcome = await inspectAgain(ports, { signal, wait, random: Math.random, onInspected });
    if (outcome === 'unreachable') log.warn('inspecting files stopped: the storage is out of reach');
    if (inspected > before) log.info({ inspected: inspected - before, outcome }, 'files were inspected');
  };
  return { name: 'inspect files again', every: INTERVAL, after: START_DELAY, run: look };
}
