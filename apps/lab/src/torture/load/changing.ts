import { type FolderRecord, type MediaRecord, placeOf } from '../ledger/ledger.ts';
import { textAt } from '../support/json.ts';
import { anyFolder, type LoadContext, newKey, newLabel } from './load-context.ts';
import { confirm, mayBeDeleted } from './storing.ts';

/** Moves an item to another folder, and gives it a label in the same request. */
export async function moveItem(context: LoadContext): Promise<void> {
  const { api, requester, ledger, random } = context;
  const record = random.pickIfAny(ledger.known);
  if (!record) return;
  const [folder, label] = [anyFolder(context), newLabel(context)];
  record.isTouched = true;
  const isDeleted = mayBeDeleted(record);
  await requester.ask({
    kind: 'move item',
    about: { item: record.stem, folder, label },
    writes: [record.place.begin(placeOf(folder, label))],
    send: () => api.call('PATCH', `/media_contents/${record.id}`, { folder_id: folder, label }),
    done: [200],
    mayRefuse: ({ status }) => status === 404 && isDeleted(),
  });
}

/** Makes a copy of an image the cover of a video. */
export async function chooseCover({ api, requester, ledger, random }: LoadContext): Promise<void> {
  const active = ledger.known.filter(({ isActive }) => isActive);
  const video = random.pickIfAny(active.filter(({ content }) => content.kind === 'mp4'));
  const image = random.pickIfAny(active.filter(({ content, bytes }) => content.kind !== 'mp4' && bytes !== null));
  if (!video || !image?.bytes) return;
  video.isTouched = true;
  const [isVideoDeleted, isImageDeleted] = [mayBeDeleted(video), mayBeDeleted(image)];
  await requester.ask({
    kind: 'choose cover',
    about: { item: video.stem, image: image.stem },
    writes: [video.cover.begin(image.bytes.sha256)],
    send: () => api.call('PATCH', `/media_contents/${video.id}`, { cover: { media_content_id: image.id } }),
    done: [200],
    mayRefuse: ({ status }) => (status === 404 && isVideoDeleted()) || (status === 422 && isImageDeleted()),
  });
}

export async function deleteItem({ api, requester, ledger, random }: LoadContext): Promise<void> {
  const record = random.pickIfAny(ledger.known);
  if (!record) return;
  record.isTouched = true;
  record.wasDeleted = true;
  await requester.ask({
    kind: 'delete',
    about: { item: record.stem },
    writes: [record.exists.begin(false)],
    send: () => api.call('DELETE', `/media_contents/${record.id}`),
    done: [204],
    // Another client may have deleted the item first. Then this request is recorded as refused.
    mayRefuse: ({ status }) => status === 404,
  });
}

/** Restores from the trash an item that was deleted since the last check. */
export async function restoreItem({ api, requester, ledger, random }: LoadContext): Promise<void> {
  const deleted = [...ledger.media.values()].filter(({ id, exists, isActive }) => id && isActive && exists.is(false));
  const record = random.pickIfAny(deleted);
  if (!record) return;
  record.isTouched = true;
  await requester.ask({
    kind: 'restore',
    about: { item: record.stem },
    writes: [record.exists.begin(true)],
    send: () => api.call('POST', `/trash/${record.id}/restore`),
    done: [200],
    mayRefuse: ({ status }) => status === 404,
  });
}

/** Confirms an upload whose client has stopped, perhaps because the service was killed. */
export async function confirmLater(context: LoadContext): Promise<void> {
  const waiting = (record: MediaRecord): boolean =>
    record.source === 'presigned' && !record.isActive && !record.sent.is(false);
  const record = context.random.pickIfAny(context.ledger.known.filter(waiting));
  if (record) await confirm(context, record);
}

/** Creates a folder, at the top or inside another folder. */
export async function createFolder(context: LoadContext): Promise<void> {
  const { api, requester, ledger } = context;
  const parent = anyFolder(context);
  const record: FolderRecord = ledger.addFolder(`folder ${ledger.number()}`, parent);
  const { name } = record;
  const key = newKey(context);
  await requester.ask({
    kind: 'create folder',
    about: { folder: name, parent },
    writes: [record.exists.begin(true)],
    send: () =>
      api.call('POST', `/workspaces/${api.workspace}/media_library/folders`, { name, parent_id: parent }, key),
    done: [201],
    mayRefuse: isTooDeep,
    take: ({ json }) => {
      record.id = textAt(json, 'data', 'id');
    },
  });
}

export async function moveFolder(context: LoadContext): Promise<void> {
  const { api, requester, ledger, random } = context;
  const there = [...ledger.folders.values()].filter(({ id, exists }) => id !== null && exists.is(true));
  const record = random.pickIfAny(there);
  if (!record) return;
  const parent = anyFolder(context);
  await requester.ask({
    kind: 'move folder',
    about: { folder: record.name, parent },
    writes: [record.parent.begin(parent)],
    send: () => api.call('PATCH', `/media_library/folders/${record.id}`, { parent_id: parent }),
    done: [200],
    mayRefuse: isTooDeep,
  });
}

/**
 * Whether the service refused the folder, because it would be inside itself or nested too deeply (16 levels at most).
 */
const isTooDeep = ({ status }: { readonly status: number }): boolean => status === 422;
