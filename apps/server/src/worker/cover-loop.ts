import { makeDueCovers, type Resources } from '@postshelf/application';
import { isQuiet, type Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

const POLL_INTERVAL = 1_000;

const LEVELS = { made: 'info', none: 'info', gone: 'info', later: 'debug', fault: 'error' } as const;

/** One at a time. `stop` releases the job of the one that is being made. */
export function startCoverLoop(ports: Resources, telemetry: Telemetry): { stop(): Promise<void> } {
  const { log, metrics } = telemetry;
  const make = (signal: AbortSignal): Promise<void> =>
    makeDueCovers(ports, {
      signal,
      isQuiet: () => isQuiet(telemetry),
      onEnd({ job, outcome, cause }) {
        metrics?.dueCoverEnded(outcome);
        log[LEVELS[outcome]]({ media: job.mediaId, outcome, err: cause }, 'cover');
      },
    });
  return every(POLL_INTERVAL, make, log);
}
