import { type ActiveMedia, kindOf, previewSizes, type Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { type MakePreviewPorts, makePreviews, type PreviewOutcome } from './make-previews.ts';

type DuePorts = MakePreviewPorts & Pick<Ports, 'shares' | 'previewWork' | 'clock'>;

/** Items per query; one of them is picked at random, so that two processes seldom make the same previews. */
const WINDOW = 16;

/** Stored for an item whose previews are no longer due although none was made. */
const NOTHING = { hasFailed: false, placeholder: null };

/**
 * The outcome for an item, as {@link PreviewOutcome}; or `later`: no slot was free, or the worker stops; or `fault`: an
 * error, after which the item is postponed.
 */
export interface DuePreviews {
  readonly id: Uuid;
  readonly outcome: PreviewOutcome | 'later' | 'fault';
  /** The error of a `fault`, for the log. */
  readonly cause?: unknown;
}

export interface DueOptions {
  /** Stops the work; the current item stays due. */
  readonly signal: AbortSignal;
  /** A number from 0 to below 1, like `Math.random`. */
  readonly random: () => number;
  readonly onEnd: (ended: DuePreviews) => void;
}

/**
 * Makes the previews of new images before they are requested, one item after the other, the latest first, until none
 * is due. Stops while requests upload files or wait for previews, as those go first. Also stops after an item during
 * which an upload began: in a burst of small files, each of which holds its slot only briefly, there are always moments
 * without any.
 *
 * @throws Refusal `unavailable` if the database is
 */
export async function makeDuePreviews(ports: DuePorts, { signal, random, onEnd }: DueOptions): Promise<void> {
  while (!signal.aborted && isIdle(ports)) {
    const uploads = ports.shares.taken('uploads');
    const ids = await ports.previews.due(ports.clock.now(), WINDOW);
    const id = ids[Math.floor(random() * ids.length)];
    if (id === undefined) return;
    const ended = await makeAll(ports, id, signal);
    onEnd({ id, ...ended });
    if (ended.outcome === 'later' || ports.shares.taken('uploads') !== uploads) return;
  }
}

const isIdle = ({ shares }: DuePorts): boolean =>
  shares.figures('uploads').inUse === 0 && shares.figures('previews').waiting === 0;

async function makeAll(ports: DuePorts, id: Uuid, signal: AbortSignal): Promise<Omit<DuePreviews, 'id'>> {
  const item = (await ports.media.find(id))?.item;
  if (item?.status !== 'active' || kindOf(item.content.type) !== 'image') {
    await ports.previews.keep(id, NOTHING);
    return { outcome: 'gone' };
  }
  try {
    const outcome = await tryToMake(ports, item, signal);
    // If the object is restored, its previews are made on request.
    if (outcome === 'missing') await ports.previews.keep(id, NOTHING);
    if (outcome === 'unkept') await ports.previews.putOff(id, ports.clock.now());
    return { outcome };
  } catch (cause) {
    if (signal.aborted) return { outcome: 'later' };
    await ports.previews.putOff(id, ports.clock.now());
    return { outcome: 'fault', cause };
  }
}

async function tryToMake(ports: DuePorts, item: ActiveMedia, signal: AbortSignal): Promise<PreviewOutcome | 'later'> {
  const sizes = previewSizes(item.content);
  if (sizes.length === 0) {
    return (await ports.previews.keep(item.id, NOTHING)) ? 'made' : 'gone';
  }
  const releaseSlot = ports.shares.tryTake('previews', item.workspaceId);
  if (releaseSlot === null) return 'later';
  try {
    const made = await ports.previewWork.once(item.id, signal, (stopping) =>
      makePreviews(ports, item, sizes, { areAll: true, takeSlot: async () => releaseSlot, signal: stopping }),
    );
    return made?.outcome ?? 'later';
  } finally {
    releaseSlot();
  }
}
