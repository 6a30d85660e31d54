import type { Composition } from '../../compose/compose.ts';
import type { Config } from '../../config/config.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { startCoverLoop } from '../../worker/cover-loop.ts';
import type { RunningFence } from '../../worker/fence-timer.ts';
import { startFitLoops } from '../../worker/fit-loops.ts';
import { startGarbageTimer } from '../../worker/gc-timer.ts';
import { startInspectAgainLoop } from '../../worker/inspect-again-loop.ts';
import { startObjectCheckTimer } from '../../worker/object-check-timer.ts';
import { startPreviewLoop } from '../../worker/preview-loop.ts';
import { startRemovalTimer } from '../../worker/removal-timer.ts';
import { startSearchIndexTimer } from '../../worker/search-index-timer.ts';
import { startVacuumTimer } from '../../worker/vacuum-timer.ts';
import { startWebhookLoops } from '../../worker/webhook-loops.ts';

/** Starts all work in the background but imports, which requests hand over. */
export function startLoops(
  config: Config,
  composition: Composition,
  fence: RunningFence,
  telemetry: Telemetry,
): { stop(): Promise<void> } {
  const { ports, store, database } = composition;
  const loops = [
    startCoverLoop(ports, telemetry),
    startPreviewLoop(config, ports, store.freeSpace, telemetry),
    startFitLoops(ports, telemetry),
    startWebhookLoops(config, composition, telemetry),
    startGarbageTimer(config, ports, fence, telemetry),
    startRemovalTimer(ports, fence, telemetry),
    startObjectCheckTimer(config, ports, telemetry),
    startInspectAgainLoop(ports, telemetry),
    startVacuumTimer(database, telemetry),
    startSearchIndexTimer(database, telemetry),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop?.stop()));
    },
  };
}
