import {
  type ActiveMedia,
  type ByteSource,
  kindOf,
  type PreviewOrder,
  type PreviewSize,
  previewSizes,
  type Uuid,
} from '@postshelf/domain';
import { sourceOf } from '../objects/read-stored.ts';
import type { Ports, Shared } from '../ports.ts';
import { keepPreviews, type MakePreviewPorts, noObject, type PreviewOutcome } from './make-previews.ts';

type DuePorts = MakePreviewPorts & Pick<Ports, 'clock'> & Pick<Shared, 'shares'>;

/** One is picked at random, so that two processes seldom make the same previews. */
const WINDOW = 16;

/** Decoded by one process, whose start costs as much as a photo. */
const AT_ONCE = 8;

const NOTHING = { hasFailed: false, placeholder: null };

/**
 * As {@link PreviewOutcome}; or `later`: no slot was free, or the worker stops; `fault`: an error, after which the item
 * is postponed.
 */
export interface DuePreviews {
  readonly id: Uuid;
  readonly outcome: PreviewOutcome | 'later' | 'fault';
  readonly cause?: unknown;
}

export interface DueOptions {
  /** The current item stays due. */
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly isQuiet: () => boolean;
  readonly onEnd: (ended: DuePreviews) => void;
}

/**
 * Makes previews of new images before they are requested, latest first, until none is due. Stops while requests are
 * answered, upload files or wait for previews, and after the image or the group during which one began, as a burst of
 * small files has moments without any.
 *
 * @throws Refusal `unavailable` if the database is
 */
export async function makeDuePreviews(ports: DuePorts, options: DueOptions): Promise<void> {
  const { signal, random, isQuiet, onEnd } = options;
  let atOnce = AT_ONCE;
  let isDisturbed = false;
  const isStillQuiet = (): boolean => {
    isDisturbed ||= !isQuiet();
    return !isDisturbed;
  };
  while (!signal.aborted && isIdle(ports) && isQuiet()) {
    const uploads = ports.shares.taken('uploads');
    const ids = await ports.previews.due(ports.clock.now(), WINDOW);
    const first = ids[Math.floor(random() * ids.length)];
    if (first === undefined) return;
    const group = await takeGroup(ports, [first, ...ids.filter((id) => id !== first)], atOnce, onEnd);
    const outcomes = group.length === 0 ? [] : await makeGroup(ports, group, signal, isStillQuiet);
    for (const ended of outcomes) onEnd(ended);
    if (isDisturbed) return;
    // One of them ends the process: from now on each is alone.
    if (outcomes.length < group.length) atOnce = 1;
    const isLater = outcomes.some(({ outcome }) => outcome === 'later');
    if (isLater || ports.shares.taken('uploads') !== uploads) return;
  }
}

const isIdle = ({ shares }: DuePorts): boolean =>
  shares.figures('uploads').inUse === 0 && shares.figures('previews').waiting === 0;

interface DueImage {
  readonly item: ActiveMedia;
  readonly sizes: readonly PreviewSize[];
}

/** What has no previews is dropped from the queue. */
async function takeGroup(
  ports: DuePorts,
  ids: readonly Uuid[],
  most: number,
  onEnd: DueOptions['onEnd'],
): Promise<readonly DueImage[]> {
  const group: DueImage[] = [];
  for (const id of ids) {
    if (group.length === most) break;
    const item = (await ports.media.find(id))?.item;
    const isImage = item?.status === 'active' && kindOf(item.content.type) === 'image';
    const sizes = isImage ? previewSizes(item.content) : [];
    if (isImage && sizes.length > 0) {
      if (group.every((one) => one.item.workspaceId === item.workspaceId)) group.push({ item, sizes });
    } else {
      const isKept = await ports.previews.keep(id, NOTHING);
      onEnd({ id, outcome: isImage && isKept ? 'made' : 'gone' });
    }
  }
  return group;
}

async function makeGroup(
  ports: DuePorts,
  group: readonly DueImage[],
  signal: AbortSignal,
  isQuiet: () => boolean,
): Promise<readonly DuePreviews[]> {
  const [first] = group;
  const releaseSlot = first ? ports.shares.tryTake('previews', first.item.workspaceId) : null;
  if (releaseSlot === null) return group.map(({ item }) => ({ id: item.id, outcome: 'later' }));
  try {
    const sources = await Promise.all(group.map(({ item }) => openSource(ports, item)));
    const orders: PreviewOrder[] = [];
    for (const [index, { item, sizes }] of group.entries()) {
      const [bytes, { type, width, height }] = [sources[index], item.content];
      if (bytes) orders.push({ source: { bytes, type, width, height }, sizes });
    }
    const made = orders.length === 0 ? [] : [...(await ports.previewMaker.makeAhead(orders, signal, isQuiet))];
    const ended: DuePreviews[] = [];
    for (const [index, { item, sizes }] of group.entries()) {
      const previews = sources[index] ? (made.shift() ?? null) : 'missing';
      if (previews !== 'undecided') ended.push(await settle(ports, item, sizes, previews));
    }
    return ended;
  } catch (cause) {
    if (signal.aborted) return group.map(({ item }) => ({ id: item.id, outcome: 'later' }));
    return await Promise.all(group.map(({ item }) => afterFault(ports, item.id, cause)));
  } finally {
    releaseSlot();
  }
}

async function openSource({ storage }: DuePorts, { fullName }: ActiveMedia): Promise<ByteSource | null> {
  const object = await storage.open(fullName);
  return object && sourceOf(object);
}

async function settle(
  ports: DuePorts,
  item: ActiveMedia,
  sizes: readonly PreviewSize[],
  made: Parameters<typeof keepPreviews>[3] | 'missing',
): Promise<DuePreviews> {
  const { id } = item;
  const { outcome } =
    made === 'missing' ? await noObject(ports, item) : await keepPreviews(ports, item, sizes, made, true);
  // Made on request if the object is restored.
  if (outcome === 'missing') await ports.previews.keep(id, NOTHING);
  if (outcome === 'unkept') await ports.previews.putOff(id, ports.clock.now());
  return { id, outcome };
}

async function afterFault(ports: DuePorts, id: Uuid, cause: unknown): Promise<DuePreviews> {
  if ((await ports.previews.existingItems([id])).size === 0) return { id, outcome: 'gone' };
  await ports.previews.putOff(id, ports.clock.now());
  return { id, outcome: 'fault', cause };
}
