import { type Group, type MediaRecord, placeOf } from '../ledger/ledger.ts';
import { at, listAt, textAt } from '../support/json.ts';
import { hold } from '../violation.ts';
import { send } from './api.ts';
import { anyFolder, type LoadContext, newContent, newKey, newLabel } from './load-context.ts';
import { answerWith, type OriginBehaviour } from './origin-behaviour.ts';

/**
 * Uploads one to three files as multipart form data, with a label and perhaps a folder. Sometimes sends the request
 * twice concurrently, which must create each item only once.
 */
export async function upload(context: LoadContext): Promise<void> {
  const { api, requester, contents, ledger, random } = context;
  const [folder, label] = [anyFolder(context), newLabel(context)];
  const files = Array.from({ length: random.whole(1, 3) }, () => newContent(context, 8));
  const { records } = ledger.addMedia(files, { source: 'upload', ends: 'active', place: placeOf(folder, label) });
  const isTwice = random.percent(25);
  const form = new FormData();
  if (isTwice) form.set('on_duplicate', 'return');
  form.set('label', label);
  if (folder !== null) form.set('folder_id', folder);
  for (const { stem, content } of records)
    form.append('files[]', new Blob([Buffer.from(contents.bytesOf(content))]), `${stem}.${content.extension}`);
  // A request that is sent twice concurrently gets no key, so that it isn't repeated after a restart. A repeat would
  // create the items again if clients have deleted them in the meantime.
  const key = isTwice ? undefined : newKey(context);
  const ask = () =>
    requester.ask({
      kind: 'upload',
      about: { items: records.map(({ stem }) => stem), label, isTwice },
      writes: records.map(({ exists }) => exists.begin(true)),
      send: () => api.call('POST', `/workspaces/${api.workspace}/media_contents`, form, key),
      done: [201],
      ...(!isTwice && { take: ({ json }) => takeIds(records, json) }),
    });
  // The ids are recorded only after both requests have ended, because clients delete items as soon as their ids are
  // known.
  const answers = await Promise.all(isTwice ? [ask(), ask()] : [ask()]);
  if (isTwice) for (const answer of answers) if (answer) takeIds(records, answer.json);
}

/** Imports by URL from an origin with a random behaviour. */
export async function importByUrl(context: LoadContext): Promise<void> {
  const { api, requester, contents, ledger, origin, random } = context;
  const [folder, label] = [anyFolder(context), newLabel(context)];
  const behaviour: OriginBehaviour = random.pick(['plain', 'plain', 'slow', 'slow', 'slow', 'flaky', 'gone'] as const);
  const content = newContent(context, 40);
  const ends = behaviour === 'gone' ? 'failed' : 'active';
  const { records } = ledger.addMedia([content], { source: 'import', ends, place: placeOf(folder, label) });
  const { url } = origin.page('file', answerWith(contents, content, behaviour));
  const on_duplicate = random.pick(['keep', 'return'] as const);
  const body = { url, name: records[0]?.stem, label, folder_id: folder, sha256: content.sha256, on_duplicate };
  const key = newKey(context);
  await requester.ask({
    kind: 'import',
    about: { items: records.map(({ stem }) => stem), behaviour, label },
    writes: records.map(({ exists }) => exists.begin(true)),
    send: () => api.call('POST', `/workspaces/${api.workspace}/media_contents`, body, key),
    done: [201, 202],
    take: ({ json }) => takeIds(records, json),
  });
}

/** Issues presigned addresses, sends files to them and confirms the uploads. Sometimes the client stops half-way. */
export async function uploadPresigned(context: LoadContext): Promise<void> {
  const { api, requester, ledger, random } = context;
  const files = Array.from({ length: random.whole(1, 2) }, () => newContent(context, 10));
  const group: Group = ledger.addMedia(files, { source: 'presigned', ends: 'active', place: placeOf(null, null) });
  const announced = group.records.map(({ stem, content: { extension, size, mime, sha256 } }) => {
    const on_duplicate = random.pick(['keep', 'return'] as const);
    return { name: `${stem}.${extension}`, size, mime, on_duplicate, ...(random.percent(50) && { sha256 }) };
  });
  const key = newKey(context);
  const answer = await requester.ask({
    kind: 'presign',
    about: { items: group.records.map(({ stem }) => stem) },
    writes: group.records.map(({ exists }) => exists.begin(true)),
    send: () => api.call('POST', `/workspaces/${api.workspace}/media_contents/presign`, { files: announced }, key),
    done: [201],
    take: ({ json }) => takeIds(group.records, json),
  });
  if (!answer) return;
  for (const [index, record] of group.records.entries()) {
    if (context.isOver || random.percent(15)) return;
    const issued = at(answer.json, 'data', index);
    if (!(await put(context, record, issued))) return;
    if (context.isOver || random.percent(15)) return;
    await confirm(context, record);
  }
}

/**
 * Must be called before a request. Returns a function that is called after the answer, and returns whether the item may
 * have been deleted at some time before the answer. Asking only afterwards isn't enough, because another client may
 * have restored the item by then.
 */
export function mayBeDeleted({ exists }: MediaRecord): () => boolean {
  const wasDeleted = exists.allows(false);
  return () => wasDeleted || exists.allows(false);
}

async function put({ requester, contents }: LoadContext, record: MediaRecord, issued: unknown): Promise<boolean> {
  const { stem, content, sent } = record;
  record.isTouched = true;
  const isDeleted = mayBeDeleted(record);
  const answer = await requester.ask({
    kind: 'put',
    about: { item: stem },
    writes: [sent.begin(true)],
    send: () =>
      send(
        textAt(issued, 'upload_url'),
        textAt(issued, 'upload_method'),
        JSON.parse(textAt(issued, 'upload_headers')) as Record<string, string>,
        contents.bytesOf(content),
      ),
    done: [200],
    mayRefuse: ({ status }) => (status === 403 || status === 404) && isDeleted(),
  });
  return answer !== null;
}

/** Confirms an upload whose file may have arrived. */
export async function confirm({ api, requester }: LoadContext, record: MediaRecord): Promise<void> {
  const { id, stem, sent } = record;
  record.isTouched = true;
  const isDeleted = mayBeDeleted(record);
  // The confirmation might find no file, because the file might arrive only after the service has looked for it.
  const mayLack = sent.allows(false);
  const answer = await requester.ask({
    kind: 'confirm',
    about: { item: stem },
    writes: [],
    send: () => api.call('POST', `/media_contents/${id}/confirm`),
    done: [200],
    mayRefuse: ({ status }) => (status === 404 && isDeleted()) || (status === 422 && mayLack),
  });
  if (!answer) return;
  hold(at(answer.json, 'data', 'status') === 'active', 'A confirmed item is not active.', { stem, answer });
  record.isActive = true;
  record.fullName = textAt(answer.json, 'data', 'full_name');
}

/** Reads the ids and names of items from an answer, in which the items are in the order of the records. */
export function takeIds(records: readonly MediaRecord[], json: unknown): void {
  const items = listAt(json, 'data');
  hold(items.length === records.length, 'An answer has another number of items than the request.', { json });
  for (const [index, record] of records.entries()) {
    const id = textAt(items, index, 'id');
    hold(record.id === null || record.id === id, 'Equal files at once made two items.', { items, id: record.id });
    record.id = id;
    record.fullName = textAt(items, index, 'full_name');
    record.isActive = at(items, index, 'status') === 'active';
    hold(at(items, index, 'status') !== 'failed', 'An item failed at once.', { items });
  }
}
