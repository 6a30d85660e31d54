import type { Service } from '../../service.ts';
import { serveFile } from '../../operations/media/file.ts';
import { importLines } from '../../operations/posts/import.ts';
import { isJson } from '../../body/json.ts';
import { restOperations } from './operations.ts';
import { receiveUpload, uploadsUnderWay } from '../../operations/presign/receive.ts';
import { serveTrpc } from '../trpc/serve.ts';
import { upload } from '../../operations/uploads/upload.ts';

export type Params = Readonly<Record<string, string>>;
export type Handler = (request: Request, params: Params) => Promise<Response>;

/** Path, parameters as `:name`, to method to handler. */
export type RouteTable = ReadonlyMap<string, ReadonlyMap<string, Handler>>;

const UPLOAD = '/v1/workspaces/:workspace/media_contents';

/** Every route of the API: `/v1` from the router's procedures, and what is no procedure: streamed bodies and files. */
export function routesOf(service: Service): RouteTable {
  const table = new Map<string, ReadonlyMap<string, Handler>>();
  const add = (method: string, path: string, handler: Handler): void => {
    const methods = table.get(path) ?? new Map<string, Handler>();
    const added = method === 'GET' ? readable(handler) : new Map([[method, handler]]);
    table.set(path, new Map([...methods, ...added]));
  };
  for (const { openapi, call } of restOperations()) {
    const path = `/v1${openapi.path.replace(/\{(\w+)\}/g, ':$1')}`;
    add(openapi.method, path, (request, params) => call(service, request, params));
  }
  const importUrl = table.get(UPLOAD)?.get('POST');
  add('POST', UPLOAD, (request, params) =>
    importUrl && isJson(request) ? importUrl(request, params) : upload(service, request, params.workspace ?? ''),
  );
  add('POST', '/v1/workspaces/:workspace/posts/import', (request, { workspace = '' }) =>
    importLines(service, request, workspace),
  );
  const { signedUploads } = service;
  if (signedUploads) {
    const underWay = uploadsUnderWay();
    add('PUT', '/uploads/:id', (request, { id = '' }) => receiveUpload(service, signedUploads, underWay, request, id));
  }
  add('GET', '/files/*', (request) => serveFile(service, request, pathBelow('/files/', request.url)));
  add('GET', '/trpc/*', (request) => serveTrpc(service, request));
  add('POST', '/trpc/*', (request) => serveTrpc(service, request));
  return table;
}

/** HEAD is GET without the body, which the server leaves out (RFC 9110 section 9.3.2). */
export const readable = (handler: Handler): ReadonlyMap<string, Handler> =>
  new Map([
    ['GET', handler],
    ['HEAD', handler],
  ]);

/** The path of a request's URL below a prefix, still percent-encoded. */
function pathBelow(prefix: string, url: string): string {
  return new URL(url).pathname.slice(prefix.length);
}
