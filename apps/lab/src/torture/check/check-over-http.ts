import type { FitShape } from '../ledger/fit.ts';
import type { GuestRecord } from '../ledger/guest.ts';
import { type Ledger, type MediaRecord, metricsOf, type PostRecord, placeOf } from '../ledger/ledger.ts';
import { Api } from '../load/api.ts';
import { takeOffset } from '../load/resumable.ts';
import { sha256 } from '../support/contents.ts';
import { at, textAt } from '../support/json.ts';
import { hold } from '../violation.ts';
import { endOtherwise, statusesOf } from './compare-media.ts';

/** Counts of what was checked. */
export interface CheckCounts {
  items: number;
  /** Bytes of files that were downloaded and hashed. */
  bytes: number;
}

interface CheckContext {
  readonly api: Api;
  readonly ledger: Ledger;
  readonly checked: CheckCounts;
}

/**
 * Checks an existing item as a client sees it. The item's fields must equal those of its row, and its bytes must equal
 * those that were sent. An item that isn't `active` must have no bytes.
 *
 * @param isFree whether reading the item may confirm its upload. This is so unless a confirmation holds a lease on the
 *   upload.
 * @returns true if the item has to be checked again, because it isn't in its final status
 * @throws Violation
 */
export async function checkItem(
  { api, ledger, checked: counts }: CheckContext,
  record: MediaRecord,
  isFree: boolean,
): Promise<boolean> {
  const { stem, id, place, sent } = record;
  const before = statusesOf(record);
  const { status, json } = await api.get(`/media_contents/${id}`);
  const facts = { stem, id, status, json };
  hold(status === 200, 'An item that has a row is not shown.', facts);
  const state = textAt(json, 'data', 'status');
  // The item may have reached its final status since its row was read.
  endOtherwise(ledger, record, { status: state, error: at(json, 'data', 'error_message') });
  const allowed = state === 'failed' ? statusesOf(record) : before;
  hold(allowed.includes(state), 'An item is shown with a status that it can’t have.', facts);
  hold(
    place.is(placeOf(at(json, 'data', 'folder_id'), at(json, 'data', 'label'))),
    'An item is shown elsewhere.',
    facts,
  );
  const fullName = textAt(json, 'data', 'full_name');
  record.fullName = fullName;
  counts.items += 1;
  if (state !== 'active') {
    const isLate = record.source === 'presigned' && isFree && sent.is(true);
    hold(!isLate, 'A file was sent and acknowledged, and its item doesn’t become active.', facts);
    if (state !== 'processing') await requireNoFile(api, fullName, facts);
    if (record.source === 'presigned' && isFree) sent.settle(false);
    if (record.source === 'resumable' && isFree) await checkOffset({ api, ledger }, record);
    return state === 'processing' || (state === 'temporary' && !isFree);
  }
  record.isActive = true;
  sent.settle(true);
  const file = await api.download(fullName);
  hold(file.status === 200, 'An active item has no file.', { ...facts, answered: file.status });
  if (record.fit && record.bytes === null) await requireFitted(file.bytes, record.fit, facts);
  record.bytes ??= { sha256: sha256(file.bytes), size: file.bytes.length };
  hold(at(json, 'data', 'size') === record.bytes.size, 'An item is shown with another size.', facts);
  hold(sha256(file.bytes) === record.bytes.sha256, 'The bytes of an item are not those that were sent.', {
    ...facts,
    received: file.bytes.length,
  });
  counts.bytes += file.bytes.length;
  await checkCover(api, at(json, 'data', 'thumbnail'), counts);
  return false;
}

/** Checks the offset of an upload. If the offset equals the file's size, records that the item is active. */
async function checkOffset({ api, ledger }: Pick<CheckContext, 'api' | 'ledger'>, record: MediaRecord): Promise<void> {
  const answer = await api.tus('HEAD', `/uploads/${record.id}`);
  hold(answer?.status === 200, 'Nobody writes to an upload, and its offset is not shown.', { id: record.id, answer });
  if (answer) takeOffset(ledger, record, answer);
}

async function checkCover(api: Api, cover: unknown, counts: CheckCounts): Promise<void> {
  if (cover === null) return;
  const file = await api.download(textAt(cover, 'full_name'));
  hold(file.status === 200 && file.bytes.length === at(cover, 'size'), 'A cover is not whole.', { cover });
  counts.bytes += file.bytes.length;
}

/**
 * Checks that the service shows nothing of a deleted item, or of an item whose request was never carried out.
 *
 * @throws Violation
 */
export async function checkDeleted(
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

/**
 * Checks that an operator can read the workspace if and only if it exists, and that the workspace's token is refused if
 * it doesn't exist.
 *
 * @throws Violation
 */
export async function checkGuest(operator: Api, { id, token, exists }: GuestRecord): Promise<void> {
  if (id === null) return;
  const { status } = await operator.get(`/workspaces/${id}`);
  hold(status === (exists.is(true) ? 200 : 404), 'A workspace is not shown as it is.', { id, status });
  if (token === null) return;
  const entered = await new Api(operator.root, id, token).get(`/workspaces/${id}/media_contents`);
  hold(entered.status === (exists.is(true) ? 200 : 401), 'A token enters another workspace than its own.', {
    id,
    status: entered.status,
  });
}

export async function checkPost(api: Api, { id, externalId, metrics }: PostRecord): Promise<void> {
  const { status, json } = await api.get(`/posts/${id}`);
  const shown = metricsOf((name) => at(json, 'data', 'metrics', name));
  hold(status === 200 && metrics.is(shown), 'A post is not shown with its metrics.', {
    externalId,
    json,
  });
}

const READ_ALL = ['-v', 'error', '-count_frames', '-select_streams', 'v:0', '-of', 'json'];
const ENTRIES = ['-show_entries', 'stream=codec_name,width,height,nb_read_frames'];

/**
 * Decodes a fit with ffprobe, and checks that it is complete and has the requested properties.
 *
 * @throws Violation
 */
export async function requireFitted(
  bytes: Uint8Array,
  { codec, width, height }: FitShape,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  const prober = Bun.spawn(['ffprobe', ...READ_ALL, ...ENTRIES, '-'], { stdin: bytes, stdout: 'pipe', stderr: 'pipe' });
  const [shown, errors] = await Promise.all([textOf(prober.stdout), textOf(prober.stderr)]);
  const stream = at(JSON.parse(shown || '{}'), 'streams', 0);
  const isWhole = errors === '' && Number(at(stream, 'nb_read_frames')) > 0;
  hold(isWhole, 'A fit cannot be decoded.', { ...facts, errors, stream });
  const isAsked =
    at(stream, 'codec_name') === codec && at(stream, 'width') === width && at(stream, 'height') === height;
  hold(isAsked, 'A fit is not as it was asked for.', { ...facts, stream, asked: { codec, width, height } });
}

const textOf = (stream: ReadableStream): Promise<string> => new Response(stream).text();
