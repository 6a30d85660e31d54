import { type MediaRecord, metricsOf, type PostRecord, placeOf } from '../ledger/ledger.ts';
import type { Api } from '../load/api.ts';
import { sha256 } from '../support/contents.ts';
import { at, textAt } from '../support/json.ts';
import { hold } from '../violation.ts';
import { statusesOf } from './compare-media.ts';

/** What the looks of a check came to. */
export interface Looked {
  items: number;
  /** Of files that were downloaded and hashed. */
  bytes: number;
}

/**
 * Looks at an item that is there as a client does: its fields are those of its row, its bytes those that were sent, and
 * whatever isn't `active` has none.
 *
 * @param isFree whether no confirmation holds its upload, so that a look ends its waiting
 * @returns whether it still is on its way, and has to be looked at again
 * @throws Violation
 */
export async function lookAtItem(api: Api, record: MediaRecord, isFree: boolean, looked: Looked): Promise<boolean> {
  const { stem, id, content, place, sent } = record;
  const allowed = statusesOf(record);
  const { status, json } = await api.get(`/media_contents/${id}`);
  const facts = { stem, id, status, json };
  hold(status === 200, 'An item that has a row is not shown.', facts);
  const state = textAt(json, 'data', 'status');
  hold(allowed.includes(state), 'An item is shown with a status that it can’t have.', facts);
  hold(
    place.is(placeOf(at(json, 'data', 'folder_id'), at(json, 'data', 'label'))),
    'An item is shown elsewhere.',
    facts,
  );
  const fullName = textAt(json, 'data', 'full_name');
  record.fullName = fullName;
  looked.items += 1;
  if (state !== 'active') {
    const isLate = record.source === 'presigned' && isFree && sent.is(true);
    hold(!isLate, 'A file was sent and acknowledged, and its item doesn’t become active.', facts);
    if (state !== 'processing') await requireNoFile(api, fullName, facts);
    if (record.source === 'presigned' && isFree) sent.settle(false);
    return state === 'processing' || (state === 'temporary' && !isFree);
  }
  record.isActive = true;
  if (record.source === 'presigned') sent.settle(true);
  hold(at(json, 'data', 'size') === content.size, 'An item is shown with another size.', facts);
  const file = await api.download(fullName);
  hold(file.status === 200, 'An active item has no file.', { ...facts, answered: file.status });
  hold(sha256(file.bytes) === content.sha256, 'The bytes of an item are not those that were sent.', {
    ...facts,
    received: file.bytes.length,
  });
  looked.bytes += file.bytes.length;
  await lookAtCover(api, at(json, 'data', 'thumbnail'), looked);
  return false;
}

async function lookAtCover(api: Api, cover: unknown, looked: Looked): Promise<void> {
  if (cover === null) return;
  const file = await api.download(textAt(cover, 'full_name'));
  hold(file.status === 200 && file.bytes.length === at(cover, 'size'), 'A cover is not whole.', { cover });
  looked.bytes += file.bytes.length;
}

/** An item that is gone, or a request that was never done: nothing of it is shown. @throws Violation */
export async function lookForGone(
  api: Api,
  { id, fullName }: { readonly id: string | null; readonly fullName: string | null },
): Promise<void> {
  if (id === null) return;
  const { status } = await api.get(`/media_contents/${id}`);
  hold(status === 404, 'A deleted item is shown.', { id, status });
  if (fullName !== null) await requireNoFile(api, fullName, { id });
}

async function requireNoFile(api: Api, fullName: string, facts: Readonly<Record<string, unknown>>): Promise<void> {
  const { status } = await api.download(fullName);
  hold(status === 404, 'What isn’t active is served.', { ...facts, fullName, answered: status });
}

export async function lookAtPost(api: Api, { id, externalId, metrics }: PostRecord): Promise<void> {
  const { status, json } = await api.get(`/posts/${id}`);
  const shown = metricsOf((name) => at(json, 'data', 'metrics', name));
  hold(status === 200 && metrics.is(shown), 'A post is not shown with its metrics.', {
    externalId,
    json,
  });
}
