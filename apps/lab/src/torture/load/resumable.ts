import { type Ledger, type MediaRecord, placeOf } from '../ledger/ledger.ts';
import { hold } from '../violation.ts';
import type { Answer } from './api.ts';
import { anyFolder, type LoadContext, newContent, newLabel } from './load-context.ts';
import { mayBeDeleted } from './storing.ts';

/**
 * Maximum bytes that a client may have to send again after an interruption. The client counts them as sent, but the
 * service hasn't stored them: up to 8 MiB are still in the service, and up to 10 MB in the socket buffers of both ends
 * (tcp_rmem and tcp_wmem on loopback).
 */
const MAX_SENT_TWICE = (8 + 10) * 1024 * 1024;

/** Maximum bytes of a large file. Half of the uploads are large, so that kills interrupt them while they arrive. */
const LARGE = 9_500_000;

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');

/** Starts a resumable upload and sends some or all of it. */
export async function uploadResumable(context: LoadContext): Promise<void> {
  const { api, requester, ledger, contents, random } = context;
  const [folder, label] = [anyFolder(context), newLabel(context)];
  const content = random.percent(50)
    ? newContent(context, 30)
    : contents.describe(ledger.number(), 'mp4', random.below(LARGE));
  const { records } = ledger.addMedia([content], {
    source: 'resumable',
    ends: 'active',
    place: placeOf(folder, label),
  });
  const [record] = records;
  if (!record) return;
  const { stem, exists } = record;
  const metadata = [
    `filename ${base64(`${stem}.${content.extension}`)}`,
    `label ${base64(label)}`,
    ...(folder === null ? [] : [`folder_id ${base64(folder)}`]),
    ...(random.percent(50) ? [`digest ${base64(`sha-256=:${base64(Buffer.from(content.sha256, 'hex'))}:`)}`] : []),
  ];
  const answer = await requester.ask({
    kind: 'begin resumable',
    about: { item: stem, size: content.size },
    writes: [exists.begin(true)],
    send: () =>
      api.tus('POST', `/workspaces/${api.workspace}/uploads`, {
        'Upload-Length': String(content.size),
        'Upload-Metadata': metadata.join(','),
      }),
    done: [201],
  });
  record.id = answer?.headers.get('Location')?.split('/').at(-1) ?? record.id;
  if (answer) await sendRest(context, record, 0);
}

/** Requests the offset of an upload that stopped, perhaps because the service was killed, and continues the upload. */
export async function continueResumable(context: LoadContext): Promise<void> {
  const { ledger, random } = context;
  const isWaiting = ({ source, isActive, transfer }: MediaRecord): boolean =>
    source === 'resumable' && !isActive && !transfer.isBusy;
  const record = random.pickIfAny(ledger.known.filter(isWaiting));
  if (!record) return;
  const offset = await askOffset(context, record);
  if (offset !== null) await sendRest(context, record, offset);
}

/**
 * Requests the offset. Returns null if another client is sending the upload, if the upload is complete or deleted, or
 * if no answer arrived.
 */
async function askOffset({ api, requester, ledger }: LoadContext, record: MediaRecord): Promise<number | null> {
  const { id, stem } = record;
  const isDeleted = mayBeDeleted(record);
  const answer = await requester.ask({
    kind: 'ask offset',
    about: { item: stem },
    writes: [],
    send: () => api.tus('HEAD', `/uploads/${id}`),
    done: [200],
    mayRefuse: ({ status }) => status === 423 || (status === 404 && isDeleted()),
  });
  return answer && takeOffset(ledger, record, answer);
}

/**
 * Checks the offset in the answer to HEAD, records it, and returns it; returns null if the file is complete. All
 * acknowledged bytes must be stored. Of an interrupted request, all but the last few megabytes must be stored.
 *
 * @throws Violation
 */
export function takeOffset(ledger: Ledger, record: MediaRecord, { headers }: Pick<Answer, 'headers'>): number | null {
  const { transfer, content, stem, sent } = record;
  const offset = Number(headers.get('Upload-Offset'));
  const facts = { stem, offset, transfer, size: content.size };
  hold(offset >= transfer.acknowledged, 'Bytes that were acknowledged are lost.', facts);
  ledger.mostSentTwice = Math.max(ledger.mostSentTwice, transfer.sent - offset);
  hold(ledger.mostSentTwice <= MAX_SENT_TWICE, 'A cut request has to be sent again from far behind.', facts);
  if (offset === content.size) {
    hold(headers.get('Postshelf-Media-Id') === record.id, 'A complete upload names no item.', facts);
    hold(sent.allows(true), 'An upload is complete whose last bytes nobody sent.', facts);
    record.isActive = true;
    return null;
  }
  transfer.acknowledged = offset;
  transfer.sent = offset;
  return offset;
}

/** Sends pieces until the file is complete, the client stops or a request fails. */
async function sendRest(context: LoadContext, record: MediaRecord, from: number): Promise<void> {
  const { random } = context;
  record.transfer.isBusy = true;
  try {
    for (let offset = from; offset < record.content.size; ) {
      if (context.isOver || random.percent(10)) return;
      const next = await sendPiece(context, record, offset);
      if (next === null) return;
      offset = next;
    }
  } finally {
    record.transfer.isBusy = false;
  }
}

/** Sends a piece and returns the next offset; null if the request failed. */
async function sendPiece(context: LoadContext, record: MediaRecord, offset: number): Promise<number | null> {
  const { api, requester, contents, random } = context;
  const { id, stem, content, transfer, sent } = record;
  record.isTouched = true;
  const end = random.percent(60) ? content.size : offset + random.whole(1, content.size - offset);
  const isLast = end === content.size;
  const isDeleted = mayBeDeleted(record);
  const pause = random.below(8);
  const bytes = contents.bytesOf(content).subarray(offset, end);
  const answer = await requester.ask({
    kind: isLast ? 'last piece' : 'piece',
    about: { item: stem, offset, end },
    writes: isLast ? [sent.begin(true)] : [],
    send: () =>
      api.patch(`/uploads/${id}`, offset, bytes, pause, (count) => {
        transfer.sent = offset + count;
      }),
    done: [204],
    mayRefuse: ({ status }) => status === 423 || (status === 404 && isDeleted()),
  });
  if (!answer) return null;
  hold(Number(answer.headers.get('Upload-Offset')) === end, 'A piece was taken in part.', { stem, offset, end });
  transfer.acknowledged = end;
  if (isLast) {
    hold(answer.headers.get('Postshelf-Media-Id') === id, 'The last piece names no item.', { stem, id });
    record.isActive = true;
  }
  return end;
}
