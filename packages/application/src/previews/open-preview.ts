import {
  type ActiveMedia,
  kindOf,
  type PreviewSize,
  parsePreviewPath,
  previewSizes,
  Refusal,
  type StoredObject,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { type MadeOf, type MakePreviewPorts, makePreviews } from './make-previews.ts';

export type OpenPreviewPorts = MakePreviewPorts & Pick<Ports, 'workspaces' | 'shares' | 'previewWork'>;

/**
 * Times that a request waits for work under way or does its own before it is refused as busy: the work under way may make
 * another size, or fail.
 */
const ATTEMPTS = 8;

/**
 * The preview of a path, which is made where it isn't there yet. Links are public: they need no token. null for every other
 * path, also of an item that isn't `active`, or where decoding has failed.
 *
 * @param signal aborted when the caller has gone
 * @param onMissing called for an active item without its object
 * @throws Refusal `busy`, `unavailable`
 */
export async function openPreview(
  ports: OpenPreviewPorts,
  path: string,
  signal: AbortSignal,
  onMissing: (item: ActiveMedia) => void,
): Promise<StoredObject | null> {
  const found = await findPreview(ports, path);
  if (found === null) return null;
  const { item, size } = found;
  const { workspaceId, id } = item;
  const key = { workspaceId, id, width: size.width };
  for (let attempt = 1; ; attempt += 1) {
    const stored = await ports.previewStorage.open(key);
    if (stored !== null) return stored;
    if ((await ports.previews.factsOf([id])).get(id)?.hasFailed) return null;
    if (attempt > ATTEMPTS) throw new Refusal({ code: 'busy', message: 'The preview is being made.', retryAfter: 1 });
    const made = await ports.previewWork.once(id, signal, (stopping) => makeOne(ports, item, size, stopping));
    if (made === null) continue;
    if (made.outcome === 'missing') onMissing(item);
    const [bytes] = made.files;
    return bytes ? inMemory(bytes) : null;
  }
}

/** The active picture and the size that a path names; null where the workspace is being deleted, too. */
async function findPreview(
  ports: Pick<Ports, 'media' | 'workspaces'>,
  path: string,
): Promise<{ readonly item: ActiveMedia; readonly size: PreviewSize } | null> {
  const key = parsePreviewPath(path);
  const item = key && (await ports.media.find(key.id))?.item;
  if (!item || item.workspaceId !== key.workspaceId || item.status !== 'active') return null;
  if (kindOf(item.content.type) !== 'image') return null;
  const size = previewSizes(item.content).find(({ width }) => width === key.width);
  return size && (await ports.workspaces.find(item.workspaceId)) ? { item, size } : null;
}

function makeOne(ports: OpenPreviewPorts, item: ActiveMedia, size: PreviewSize, signal: AbortSignal): Promise<MadeOf> {
  const takeSlot = () => ports.shares.take('previews', item.workspaceId, signal);
  return makePreviews(ports, item, [size], { areAll: previewSizes(item.content).length === 1, takeSlot, signal });
}

/** A preview that was just made, so that it needn't be read back. */
function inMemory(bytes: Uint8Array): StoredObject {
  const whole = new Blob([new Uint8Array(bytes)], { type: 'image/webp' });
  return {
    size: bytes.length,
    body: (range) => (range ? whole.slice(range.start, range.end + 1, whole.type) : whole),
  };
}
