import { makeDueFits, type Resources } from '@postshelf/application';
import type { FitJob } from '@postshelf/domain';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { every } from './every.ts';

const POLL_INTERVAL = 1_000;

/** As many as there are slots (`work-kinds.ts`). */
const LOOPS = 2;

const PROGRESS_INTERVAL = 10_000;

const LEVELS = { made: 'info', failed: 'info', gone: 'info', later: 'debug', fault: 'error' } as const;

export function startFitLoops(ports: Resources, { log, metrics }: Telemetry): { stop(): Promise<void> } {
  const loops = Array.from({ length: LOOPS }, () => {
    const onProgress = throttle(({ mediaId, target }, percent) => {
      log.info({ media: mediaId, target, percent }, 'fitting a file to a target');
    });
    const make = (signal: AbortSignal): Promise<void> =>
      makeDueFits(ports, signal, {
        onProgress,
        onEnd: ({ job, outcome, cause }) => {
          metrics?.fitEnded(outcome);
          log[LEVELS[outcome]]({ media: job.mediaId, target: job.target, outcome, err: cause }, 'fit');
        },
      });
    return every(POLL_INTERVAL, make, log);
  });
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/** At most one call per {@link PROGRESS_INTERVAL}, the first one only after that time. */
function throttle(tell: (job: FitJob, percent: number) => void): typeof tell {
  let last: { readonly id: string; readonly at: number } | null = null;
  return (job, percent) => {
    const now = performance.now();
    if (last?.id === job.mediaId && now - last.at < PROGRESS_INTERVAL) return;
    if (last?.id === job.mediaId) tell(job, percent);
    last = { id: job.mediaId, at: now };
  };
}
