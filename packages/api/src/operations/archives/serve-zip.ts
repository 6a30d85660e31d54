import {
  type ArchivedFile,
  type OpenedArchive,
  openArchive,
  openArchived,
  whileFastEnough,
} from '@postshelf/application';
import { localHours } from '@postshelf/domain';
import { makeZip, predictLength } from 'client-zip';
import type { Exchange } from '../../exchange.ts';
import { signatureOf } from '../fields/signature.ts';

/**
 * Serves `GET` and `HEAD /archives/{workspace}/{id}.zip`: the files of a selection as a ZIP file, for anyone with its
 * signed link. Media are already compressed, so the ZIP file stores them as they are, and its length is known in
 * advance. Only answers to HEAD declare the length, because Bun sends streams in chunks. A client recognises a complete
 * download by the last chunk.
 *
 * @param path below `/archives/`
 * @throws Refusal `forbidden`, `not_found`, `busy`
 */
export async function serveZip({ service, facts }: Exchange, path: string): Promise<Response> {
  const { request, signal } = facts;
  const { ports, observer } = service;
  const archive = await openArchive(ports, path, signatureOf(request));
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': `attachment; filename="${fileNameOf(archive, ports.clock.now())}"`,
    // Ranges aren't supported, because everything before a range would have to be read.
    'Accept-Ranges': 'none',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...headers, 'Content-Length': String(lengthOf(archive)) } });
  const release = await ports.shares.take('archives', archive.workspace.id, signal);
  const stopping = new AbortController();
  const end = (): void => {
    release();
    stopping.abort();
  };
  // If the client disconnects before the answer begins, the stream is neither read nor cancelled, so only this signal
  // releases the slot.
  signal.addEventListener('abort', end, { once: true });
  const open = (file: ArchivedFile) => openArchived(ports, file, stopping.signal);
  const onMissing = ({ item }: ArchivedFile): void => observer.missing(item.id);
  const zip = makeZip(entriesOf(archive, ports.clock.now(), open, onMissing));
  return new Response(
    whileFastEnough(zip, end, () => ports.clock.elapsed(), service.bodyTimeouts),
    { headers },
  );
}

const fileNameOf = ({ workspace }: OpenedArchive, now: number): string =>
  `media-${new Date(now + localHours(workspace.timezone).offset(now)).toISOString().slice(0, 10)}.zip`;

/** Predicts the length of the ZIP file, provided that no object is missing. */
function lengthOf({ files, deleted, notePath }: OpenedArchive): bigint {
  const note = noteOf(deleted, []);
  const entries = files.map(({ path, size }) => ({ name: path, size }));
  return predictLength(
    note === null ? entries : [...entries, { name: notePath, size: new TextEncoder().encode(note).length }],
  );
}

/** Yields the entries. A file is opened once the previous one has been read. @param now the time of the download */
async function* entriesOf(
  { workspace, files, deleted, notePath }: OpenedArchive,
  now: number,
  open: (file: ArchivedFile) => Promise<AsyncIterable<Uint8Array> | null>,
  onMissing: (file: ArchivedFile) => void,
) {
  const lost: string[] = [];
  const { offset } = localHours(workspace.timezone);
  // ZIP files have local times without a zone (APPNOTE.TXT section 4.4.6), and client-zip writes them in the process's
  // zone. The time is shifted here, so that the result is in the workspace's zone.
  const timeOf = (at: number): Date => {
    const local = new Date(at + offset(at));
    return new Date(local.getTime() + local.getTimezoneOffset() * 60_000);
  };
  for (const file of files) {
    const input = await open(file);
    if (input === null) {
      onMissing(file);
      lost.push(file.path);
    } else yield { name: file.path, size: file.size, lastModified: timeOf(file.item.createdAt), input };
  }
  const note = noteOf(deleted, lost);
  if (note !== null) yield { name: notePath, lastModified: timeOf(now), input: note };
}

/** Returns a note about the items that the archive lacks; null if it contains all items. */
function noteOf(deleted: number, lost: readonly string[]): string | null {
  const lines = [
    ...(deleted > 0 ? [`${deleted} of the selected items had been deleted before the download began.`] : []),
    ...lost.map((path) => `The file of this item could not be found in the library: ${path}`),
  ];
  return lines.length === 0 ? null : lines.map((line) => `${line}\r\n`).join('');
}
