import {
  type Estimate,
  learntUntil,
  learntWindow,
  localHours,
  MAX_LEARNT_POSTS,
  plannedWindow,
  type Slot,
  type SlotWishes,
  suggestSlots,
  type TimeWindow,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface Slots {
  readonly slots: readonly Slot[];
  readonly estimate: Estimate;
  /** The window that the slots were learned from; a heatmap of this window has the same scores. */
  readonly learnt: TimeWindow;
}

/**
 * Suggests when to post next, in the workspace's time zone, with a minimum gap to posts that are already planned
 * (docs/api.md, "Slots").
 *
 * @param until end of the window that slots are learned from
 */
export async function slots(
  ports: Pick<Ports, 'bestTimes' | 'clock'>,
  { id: workspaceId, timezone }: Workspace,
  profileId: Uuid | null,
  wishes: SlotWishes,
  signal?: AbortSignal,
  until = learntUntil(ports.clock.now()),
): Promise<Slots> {
  const scope = { workspaceId, profileId };
  const learnt = learntWindow(until);
  const excluded = [...wishes.excluded];
  const lesson = { window: learnt, until, max: MAX_LEARNT_POSTS, zone: timezone, excluded };
  const estimate = await ports.bestTimes.estimate(scope, lesson, signal);
  const planned = await ports.bestTimes.published(scope, plannedWindow(wishes), signal);
  return { slots: suggestSlots(estimate, localHours(timezone), wishes, planned), estimate, learnt };
}
