import type { Composition } from '../../compose/compose.ts';
import type { Logger } from '../../telemetry/log/log.ts';

/** Tells the operator of a storage that doesn't work yet; it may come up later, so nothing waits for it. */
export function warnOutOfReach({ outOfReach }: Composition['store'], log: Logger): void {
  if (outOfReach !== null) log.warn({ err: outOfReach }, 'the storage is out of reach: /ready says when it works');
}
