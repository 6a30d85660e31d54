import { isJson } from '../../body/json.ts';
import { serveZip } from '../../operations/archives/serve-zip.ts';
import { linesAccepted, streamAudit } from '../../operations/audit/stream.ts';
import { serveFeed } from '../../operations/calendars/feed.ts';
import { streamEvents } from '../../operations/events/stream.ts';
import { namedOperations, operatorOperations } from '../../operations/index.ts';
import { serveFile, servePreview } from '../../operations/media/serve-file.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { importLines } from '../../operations/posts/import.ts';
import { presignRoute } from '../../operations/presign/receive.ts';
import {
  appendBytes,
  createUpload,
  deleteUpload,
  overrideMethod,
  showAbilities,
  showOffset,
} from '../../operations/resumable/handlers.ts';
import { beginByProvider, finishByProvider } from '../../operations/sessions/by-provider.ts';
import { signIn } from '../../operations/sessions/sign-in.ts';
import { serveTrashedPreview } from '../../operations/trash/preview.ts';
import { upload } from '../../operations/uploads/upload.ts';
import type { Service } from '../../service.ts';
import { serveMcp } from '../mcp/serve.ts';
import { serveTrpc } from '../trpc/serve.ts';
import { type Handler, handlerOf, readQuery } from './operations.ts';

export type Methods = ReadonlyMap<string, Handler>;

const UPLOAD = '/v1/workspaces/:workspace/media_contents';
const UPLOADS = '/v1/workspaces/:workspace/uploads';

/** Returns every route of the API: the handler of each method, by path. Parameters in paths are written as `:name`. */
export function routesOf({ presignReceiver }: Service): ReadonlyMap<string, Methods> {
  const table = new Map<string, Methods>();
  const add = (method: string, path: string, handler: Handler): void => {
    const added = method === 'GET' ? getAndHead(handler) : new Map([[method, handler]]);
    table.set(path, new Map([...(table.get(path) ?? []), ...added]));
  };
  for (const [, operation] of namedOperations) {
    add(operation.method, `/v1${operation.path.replace(/\{(\w+)\}/g, ':$1')}`, handlerOf(operation));
  }
  const importUrl = table.get(UPLOAD)?.get('POST');
  add('POST', UPLOAD, (exchange, params) =>
    importUrl && isJson(exchange.facts.request)
      ? importUrl(exchange, params)
      : upload(exchange, params.workspace ?? ''),
  );
  add('POST', '/v1/workspaces/:workspace/posts/import', (exchange, { workspace = '' }) =>
    importLines(exchange, workspace),
  );
  add('POST', '/v1/sessions', signIn);
  add('GET', '/v1/sessions/oidc', beginByProvider);
  add('GET', '/v1/sessions/oidc/callback', finishByProvider);
  const listAudit = handlerOf(operatorOperations.audit.list as AnyOperation);
  add('GET', '/v1/audit', (exchange, params) => {
    const { request } = exchange.facts;
    const type = linesAccepted(request);
    return type === null ? listAudit(exchange, params) : streamAudit(exchange, type, readQuery(request));
  });
  add('GET', '/v1/workspaces/:workspace/events', (exchange, { workspace = '' }) =>
    streamEvents(exchange, workspace, readQuery(exchange.facts.request)),
  );
  add('GET', '/v1/trash/:id/preview', (exchange, { id = '' }) => serveTrashedPreview(exchange, id));
  add('OPTIONS', UPLOADS, showAbilities);
  add('POST', UPLOADS, createUpload);
  add('OPTIONS', '/v1/uploads/:id', showAbilities);
  add('HEAD', '/v1/uploads/:id', showOffset);
  add('POST', '/v1/uploads/:id', overrideMethod);
  add('PATCH', '/v1/uploads/:id', appendBytes);
  add('DELETE', '/v1/uploads/:id', deleteUpload);
  if (presignReceiver) {
    const receive = presignRoute(presignReceiver);
    add('PUT', '/uploads/:id', (exchange, { id = '' }) => receive(exchange, id));
  }
  add('GET', '/files/*', (exchange) => serveFile(exchange, pathBelow('/files/', exchange.facts.request.url)));
  add('GET', '/previews/*', (exchange) => servePreview(exchange, pathBelow('/previews/', exchange.facts.request.url)));
  add('GET', '/archives/*', (exchange) => serveZip(exchange, pathBelow('/archives/', exchange.facts.request.url)));
  add('GET', '/calendars/*', (exchange) => serveFeed(exchange, pathBelow('/calendars/', exchange.facts.request.url)));
  add('GET', '/trpc/*', serveTrpc);
  add('POST', '/trpc/*', serveTrpc);
  add('POST', '/mcp', serveMcp);
  return table;
}

/**
 * Uses a handler for both GET and HEAD. It treats HEAD like GET, and the body of the answer to HEAD is removed
 * afterwards (RFC 9110 section 9.3.2).
 */
export const getAndHead = (handler: Handler): Methods =>
  new Map([
    ['GET', handler],
    ['HEAD', handler],
  ]);

function pathBelow(prefix: string, url: string): string {
  return new URL(url).pathname.slice(prefix.length);
}
