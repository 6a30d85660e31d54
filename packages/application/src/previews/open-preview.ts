import {
  type ActiveMedia,
  kindOf,
  type LinkSignature,
  type PreviewSize,
  parsePreviewPath,
  previewSizes,
  Refusal,
  type StoredObject,
} from '@postshelf/domain';
import { type AdmittedLink, admitLink } from '../links/links.ts';
import type { Ports, Shared } from '../ports.ts';
import { type MakePreviewPorts, makePreviews, type PreviewResult } from './make-previews.ts';

export type OpenPreviewPorts = MakePreviewPorts &
  Pick<Ports, 'workspaces' | 'linkSigner' | 'clock'> &
  Pick<Shared, 'shares' | 'previewWork'>;

export interface OpenedPreview extends AdmittedLink {
  /** The image that the preview shows. */
  readonly item: ActiveMedia;
  readonly object: StoredObject;
}

/**
 * Number of attempts before a request is refused. In each attempt, the request makes the preview, or waits while
 * another request makes a preview of the same image. The other request may fail or make a different size, so several
 * attempts may be needed.
 */
const ATTEMPTS = 8;

/**
 * Opens the preview that a path names, and makes it first if necessary. Returns null if the path names no preview of an
 * `active` image, or if the image can't be decoded.
 *
 * @param onMissing called for an active item without its object
 * @throws Refusal `forbidden` if the workspace's links must be signed and this link isn't; `busy`, `unavailable`
 */
export async function openPreview(
  ports: OpenPreviewPorts,
  path: string,
  signal: AbortSignal,
  onMissing: (item: ActiveMedia) => void,
  signature: LinkSignature,
): Promise<OpenedPreview | null> {
  const admitted = await admitLink(ports, `previews/${path}`, signature);
  const found = admitted && (await findPreview(ports, path));
  if (!found) return null;
  const { item, size } = found;
  const { workspaceId, id } = item;
  const key = { workspaceId, id, width: size.width };
  for (let attempt = 1; ; attempt += 1) {
    const stored = await ports.previewStorage.open(key);
    if (stored !== null) return { item, object: stored, ...admitted };
    if ((await ports.previews.factsOf([id])).get(id)?.hasFailed) return null;
    if (attempt > ATTEMPTS) throw new Refusal({ code: 'busy', message: 'The preview is being made.', retryAfter: 1 });
    const made = await ports.previewWork.once(id, signal, (stopping) => makeOne(ports, item, size, stopping));
    if (made === null) continue;
    if (made.outcome === 'missing') onMissing(item);
    const [bytes] = made.files;
    return bytes ? { item, object: inMemory(bytes), ...admitted } : null;
  }
}

async function findPreview(
  ports: Pick<Ports, 'media'>,
  path: string,
): Promise<{ readonly item: ActiveMedia; readonly size: PreviewSize } | null> {
  const key = parsePreviewPath(path);
  const item = key && (await ports.media.find(key.id))?.item;
  if (!item || item.workspaceId !== key.workspaceId || item.status !== 'active') return null;
  if (kindOf(item.content.type) !== 'image') return null;
  const size = previewSizes(item.content).find(({ width }) => width === key.width);
  return size ? { item, size } : null;
}

function makeOne(
  ports: OpenPreviewPorts,
  item: ActiveMedia,
  size: PreviewSize,
  signal: AbortSignal,
): Promise<PreviewResult> {
  const takeSlot = () => ports.shares.take('previews', item.workspaceId, signal);
  return makePreviews(ports, item, [size], { areAll: previewSizes(item.content).length === 1, takeSlot, signal });
}

function inMemory(bytes: Uint8Array): StoredObject {
  const whole = new Blob([new Uint8Array(bytes)], { type: 'image/webp' });
  return {
    size: bytes.length,
    body: (range) => (range ? whole.slice(range.start, range.end + 1, whole.type) : whole),
  };
}
