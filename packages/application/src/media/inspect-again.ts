import type { ActiveMedia, Uuid } from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';
import { type ReadItem, type ReadPorts, readItem } from './read-item.ts';

/**
 * Number of candidates that are listed. One of them is picked at random, so that two processes seldom inspect the same
 * item.
 */
const WINDOW = 128;

const COUNTED = 1000;

const BUSY_TIME = 1000;

export type InspectAgainPorts = ReadPorts & Pick<Ports, 'media'> & Pick<Shared, 'shares'>;

export interface InspectedItem extends Pick<ReadItem, 'outcome' | 'cause'> {
  readonly id: Uuid;
}

export interface InspectAgainOptions {
  /** Aborting the signal leaves the item that is being read unchanged. */
  readonly signal: AbortSignal;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly random: () => number;
  readonly onInspected: (item: InspectedItem) => void;
}

/** `unreachable`: the storage can't be read or belongs to another library, so the last item was left unchanged. */
export type InspectAgainOutcome = 'finished' | 'unreachable' | 'stopped';

/**
 * Inspects the files of active items that lack details or a hash because an earlier release stored them. Items are
 * inspected one at a time. The rows record what is done, so any number of processes may do this concurrently, and a
 * killed process loses nothing.
 *
 * @throws Refusal `unavailable` if the database is unavailable
 */
export async function inspectAgain(
  ports: InspectAgainPorts,
  { signal, wait, random, onInspected }: InspectAgainOptions,
): Promise<InspectAgainOutcome> {
  let after: Uuid | null = null;
  while (!signal.aborted) {
    const { ids, next } = await ports.media.listUninspected(after, WINDOW);
    const id = ids[Math.floor(random() * ids.length)];
    if (id === undefined) {
      if (next === null) return 'finished';
      after = next;
      continue;
    }
    const found = await ports.media.find(id);
    // The item was deleted after the query.
    if (found?.item.status !== 'active') continue;
    const read = await inspectItem(ports, found.item, { signal, wait });
    if (read === 'busy') await wait(BUSY_TIME);
    else if (read === 'unreachable') return signal.aborted ? 'stopped' : read;
    else if (read !== null) onInspected({ id, outcome: read.outcome, ...('cause' in read && { cause: read.cause }) });
  }
  return 'stopped';
}

async function inspectItem(
  ports: InspectAgainPorts,
  item: ActiveMedia,
  options: Pick<InspectAgainOptions, 'signal' | 'wait'>,
): Promise<ReadItem | 'busy' | 'unreachable' | null> {
  // This takes a slot only if one is free, so that requests that wait for a slot are served first.
  const releaseSlot = ports.shares.tryTake('hashes', item.workspaceId);
  if (releaseSlot === null) return 'busy';
  try {
    const read = await readItem(ports, item, options);
    if (read === 'unreachable') return read;
    return (await ports.media.storeInspected(item.id, read)) ? read : null;
  } finally {
    releaseSlot();
  }
}

export async function countUninspected({ media }: Pick<Ports, 'media'>): Promise<number> {
  let count = 0;
  let after: Uuid | null = null;
  do {
    const { ids, next }: Awaited<ReturnType<typeof media.listUninspected>> = await media.listUninspected(
      after,
      COUNTED,
    );
    count += ids.length;
    after = next;
  } while (after !== null);
  return count;
}
