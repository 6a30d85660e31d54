import {
  type Estimate,
  learntWindow,
  localHours,
  plannedWindow,
  type Slot,
  type SlotWishes,
  suggestSlots,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface Slots {
  readonly slots: readonly Slot[];
  readonly estimate: Estimate;
}

/** When to post next, in the workspace's time zone, apart from posts that are already planned (docs/api.md, "Slots"). */
export async function slots(
  ports: Pick<Ports, 'bestTimes' | 'clock'>,
  { id: workspaceId, timezone }: Workspace,
  profileId: Uuid | null,
  wishes: SlotWishes,
  signal?: AbortSignal,
): Promise<Slots> {
  const scope = { workspaceId, profileId };
  const estimate = await ports.bestTimes.estimate(scope, learntWindow(ports.clock.now()), timezone, signal);
  const planned = await ports.bestTimes.published(scope, plannedWindow(wishes), signal);
  return { slots: suggestSlots(estimate, localHours(timezone), wishes, planned), estimate };
}
