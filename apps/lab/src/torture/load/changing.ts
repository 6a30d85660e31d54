import { type FolderRecord, type MediaRecord, placeOf } from '../ledger/ledger.ts';
import { textAt } from '../support/json.ts';
import { anyFolder, newKey, newLabel, type Scene } from './scene.ts';
import { confirm } from './storing.ts';

/** Moves an item to another folder, and gives it a label in the same request. */
export async function moveItem(scene: Scene): Promise<void> {
  const { api, asker, ledger, random } = scene;
  const record = random.pickIfAny(ledger.known);
  if (!record) return;
  const [folder, label] = [anyFolder(scene), newLabel(scene)];
  record.isTouched = true;
  await asker.ask({
    kind: 'move item',
    about: { item: record.stem, folder, label },
    writes: [record.place.begin(placeOf(folder, label))],
    send: () => api.call('PATCH', `/media_contents/${record.id}`, { folder_id: folder, label }),
    done: [200],
    mayRefuse: ({ status }) => status === 404 && record.exists.allows(false),
  });
}

export async function deleteItem({ api, asker, ledger, random }: Scene): Promise<void> {
  const record = random.pickIfAny(ledger.known);
  if (!record) return;
  record.isTouched = true;
  await asker.ask({
    kind: 'delete',
    about: { item: record.stem },
    writes: [record.exists.begin(false)],
    send: () => api.call('DELETE', `/media_contents/${record.id}`),
    done: [204],
    // Somebody else was faster; this write is taken back and that one stays.
    mayRefuse: ({ status }) => status === 404,
  });
}

/** Confirms an upload that a client stayed away from, maybe because the service was killed. */
export async function confirmLater(scene: Scene): Promise<void> {
  const waiting = (record: MediaRecord): boolean =>
    record.source === 'presigned' && !record.isActive && !record.sent.is(false);
  const record = scene.random.pickIfAny(scene.ledger.known.filter(waiting));
  if (record) await confirm(scene, record);
}

/** Makes a folder, at the top or in another. */
export async function createFolder(scene: Scene): Promise<void> {
  const { api, asker, ledger } = scene;
  const parent = anyFolder(scene);
  const record: FolderRecord = ledger.addFolder(`folder ${ledger.number()}`, parent);
  const { name } = record;
  const key = newKey(scene);
  await asker.ask({
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

export async function moveFolder(scene: Scene): Promise<void> {
  const { api, asker, ledger, random } = scene;
  const there = [...ledger.folders.values()].filter(({ id, exists }) => id !== null && exists.is(true));
  const record = random.pickIfAny(there);
  if (!record) return;
  const parent = anyFolder(scene);
  await asker.ask({
    kind: 'move folder',
    about: { folder: record.name, parent },
    writes: [record.parent.begin(parent)],
    send: () => api.call('PATCH', `/media_library/folders/${record.id}`, { parent_id: parent }),
    done: [200],
    mayRefuse: isTooDeep,
  });
}

/** A folder can't be below itself, nor below fifteen others. */
const isTooDeep = ({ status }: { readonly status: number }): boolean => status === 422;
