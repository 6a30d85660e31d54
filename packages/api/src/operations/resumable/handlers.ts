import { createHash } from 'node:crypto';
import {
  appendToUpload,
  beyondLength,
  confirmUpload,
  createResumable,
  endUpload,
  findResumable,
  folderErrors,
  locked,
  outcomeOf,
  readUpload,
  requireEntry,
  requireWorkspace,
  wrongOffset,
} from '@postshelf/application';
import { invalid, Refusal, type ResumableUpload, UNFINISHED_LIFETIME } from '@postshelf/domain';
import { admit, type Caller } from '../../admit.ts';
import { hashed } from '../../body/hashed.ts';
import { readBody } from '../../body/stream.ts';
import type { Exchange } from '../../exchange.ts';
import { baseUrl } from '../../service.ts';
import { recordDone } from '../audit/record.ts';
import { requireMayReturn } from '../duplicates/schema.ts';
import {
  ABILITIES,
  isChunk,
  readChecksum,
  readUploadLength,
  readUploadOffset,
  requireChunk,
  requireTusVersion,
  TUS_VERSION,
} from './headers.ts';
import { parseMetadata, readMetadata } from './metadata.ts';

type Params = Readonly<Record<string, string>>;
type TusHandler = (exchange: Exchange, params: Params) => Promise<Response>;

/**
 * Returns the refusal for a client that has used up its rate limit or was silent for too long. tus clients retry after
 * a 503, but give up at a 429 or 408.
 */
const busy = (message: string): Refusal => new Refusal({ code: 'busy', message, retryAfter: 5 });

/** Handles `OPTIONS`: returns the capabilities of the service, to any client. */
export const showAbilities: TusHandler = async () => new Response(null, { status: 204, headers: ABILITIES });

/** Handles `POST /workspaces/{workspace}/uploads`, with or without the first bytes. */
export const createUpload = ofVersion(async (exchange, { workspace: workspaceId = '' }) => {
  const { service, facts } = exchange;
  const { request } = facts;
  const { ports } = service;
  const caller = await admit(exchange, 'media:write');
  const workspace = await requireWorkspace(ports, caller, workspaceId);
  requireTusVersion(request);
  const size = readUploadLength(request);
  const given = readMetadata(request.headers.get('upload-metadata'));
  requireMayReturn(caller, workspace, [given.on_duplicate]);
  const ofFolder = await folderErrors(ports, workspace.id, 'folder_id', given.folder_id);
  const metadata = parseMetadata(given, ofFolder);
  const { filename, label, folder_id, on_duplicate = 'keep', digest = null } = metadata;
  if (isChunk(request) && lengthOf(request) > size) throw beyondLength();
  const { actor: createdBy } = requireEntry(caller, workspace.id);
  const upload = await createResumable(ports, workspace, {
    createdBy,
    fileName: filename,
    size,
    label,
    folderId: folder_id,
    createdAt: metadata.created_at,
    terms: { sha256: digest, onDuplicate: on_duplicate },
    metadata: request.headers.get('upload-metadata') ?? '',
  });
  recordDone(exchange, createdBy, { action: 'uploads.create', workspaceId: workspace.id, subjects: [upload.id] });
  const answer = { status: 201, headers: { Location: `${baseUrl(service)}/uploads/${upload.id}` } };
  if (!isChunk(request)) return respond(answer, { upload, received: 0 });
  try {
    return respond(answer, await write(exchange, caller, upload, 0));
  } catch (failure) {
    // The client doesn't get the upload's URL and can't continue, so the upload is ended.
    await endUpload(ports, upload, (name, cause) => leftOver(exchange, name, cause));
    throw failure;
  }
});

/**
 * Handles `HEAD /uploads/{id}`: returns the offset at which the client continues. An offset at the file's end means
 * that the item is ready.
 */
export const showOffset = ofVersion(async (exchange, { id = '' }) => {
  const { service, facts } = exchange;
  try {
    const caller = await admit(exchange, 'media:write');
    const upload = await findResumable(service.ports, caller, id);
    requireTusVersion(facts.request);
    const state = await readUpload(service.ports, upload, facts.signal);
    const received = state.is === 'unfinished' ? state.received : upload.size - (state.is === 'failed' ? 1 : 0);
    const headers = {
      'Upload-Length': String(upload.size),
      'Upload-Metadata': upload.metadata,
      'Cache-Control': 'no-store',
    };
    return respond({ status: 200, headers }, { upload, received, ...(state.is === 'active' && state) });
  } catch (cause) {
    throw isPassing(cause) ? locked() : cause;
  }
});

/**
 * Handles `PATCH /uploads/{id}`: appends bytes. The request with the last bytes is answered once the file has become an
 * item or was refused.
 */
export const appendBytes = ofVersion(async (exchange, { id = '' }) => {
  const { service, facts } = exchange;
  try {
    const caller = await admit(exchange, 'media:write');
    const upload = await findResumable(service.ports, caller, id);
    requireTusVersion(facts.request);
    requireChunk(facts.request);
    const offset = readUploadOffset(facts.request);
    const outcome = await outcomeOf(service.ports, upload);
    if (outcome?.is === 'failed') throw invalid('file', outcome.reason);
    if (outcome && offset !== upload.size) throw wrongOffset(upload.size);
    if (outcome) return respond({ status: 204 }, { upload, received: offset, ...outcome });
    return respond({ status: 204 }, await write(exchange, caller, upload, offset));
  } catch (cause) {
    // This also handles refusals that occur while the bytes arrive.
    if (!(cause instanceof Refusal)) throw cause;
    const { problem } = cause;
    if (problem.code === 'too_many_requests') throw busy('Too many requests.');
    throw problem.code === 'too_slow' ? busy(problem.message) : cause;
  }
});

/** Handles `POST /uploads/{id}` for clients that can send no other method (tus 1.0, "X-HTTP-Method-Override"). */
export const overrideMethod: TusHandler = (exchange, params) => {
  const method = exchange.facts.request.headers.get('x-http-method-override')?.toUpperCase() ?? '';
  const handler = OVERRIDES.get(method);
  if (!handler) throw new Refusal({ code: 'method_not_allowed', allow: [...OVERRIDES.keys()] });
  return handler(exchange, params);
};

/** Handles `DELETE /uploads/{id}`. */
export const deleteUpload = ofVersion(async (exchange, { id = '' }) => {
  const { ports } = exchange.service;
  const caller = await admit(exchange, 'media:write');
  const upload = await findResumable(ports, caller, id);
  requireTusVersion(exchange.facts.request);
  await endUpload(ports, upload, (name, cause) => leftOver(exchange, name, cause));
  const { actor } = requireEntry(caller, upload.workspaceId);
  recordDone(exchange, actor, { action: 'uploads.delete', workspaceId: upload.workspaceId, subjects: [upload.id] });
  return new Response(null, { status: 204 });
});

const OVERRIDES: ReadonlyMap<string, TusHandler> = new Map([
  ['HEAD', showOffset],
  ['PATCH', appendBytes],
  ['DELETE', deleteUpload],
]);

const lengthOf = ({ headers }: Request): number => Number(headers.get('content-length') ?? 0);

interface Written {
  readonly upload: ResumableUpload;
  readonly received: number;
  readonly mediaId?: string;
}

/** Appends the request's bytes, and confirms the upload after the last one. */
async function write(exchange: Exchange, caller: Caller, upload: ResumableUpload, offset: number): Promise<Written> {
  const { service, facts, body } = exchange;
  const { request, signal } = facts;
  const checksum = readChecksum(request);
  const announced = lengthOf(request);
  if (offset + announced > upload.size)
    throw offset === upload.received ? beyondLength() : wrongOffset(upload.received);
  const hash = checksum && createHash(checksum.algorithm);
  const received =
    offset === upload.size && announced === 0
      ? offset
      : await appendToUpload(service.ports, upload, {
          offset,
          signal,
          body: (stop) => hashed(readBody(body, { caller, stop, lent: true }), hash),
          ...(hash && { isRight: () => hash.digest().equals(checksum.digest) }),
        });
  const written = { upload: { ...upload, lastByteAt: service.ports.clock.now() }, received };
  if (received < upload.size) return written;
  const { item } = await confirmUpload(service.ports, upload.id, signal);
  const { actor } = requireEntry(caller, upload.workspaceId);
  recordDone(exchange, actor, { action: 'uploads.append', workspaceId: upload.workspaceId, subjects: [item.id] });
  return { ...written, mediaId: item.id };
}

function respond(
  { status, headers }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
  { upload, received, mediaId }: Written,
): Response {
  const expires = new Date(upload.lastByteAt + UNFINISHED_LIFETIME).toUTCString();
  return new Response(null, {
    status,
    headers: {
      ...headers,
      'Upload-Offset': String(received),
      ...(received < upload.size ? { 'Upload-Expires': expires } : {}),
      ...(mediaId === undefined ? {} : { 'Postshelf-Media-Id': mediaId }),
    },
  });
}

/**
 * Whether a failure is temporary. A request for the offset then gets 423, because clients give up at any other status.
 */
const isPassing = (cause: unknown): boolean =>
  cause instanceof Refusal && ['busy', 'unavailable', 'too_many_requests', 'storage_low'].includes(cause.problem.code);

const leftOver = ({ service, facts }: Exchange, name: string, cause: unknown): void =>
  service.observer.warning('An object of an ended upload could not be deleted.', {
    name,
    cause: String(cause),
    request: facts.id,
  });

/** Adds the version of the protocol to every answer (tus 1.0, "Tus-Resumable"). */
function ofVersion(handler: TusHandler): TusHandler {
  return (exchange, params) => {
    exchange.reply.also = { 'Tus-Resumable': TUS_VERSION };
    return handler(exchange, params);
  };
}
