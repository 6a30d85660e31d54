// The server with which resumable uploads are compared: @tus/server with its FileStore, run by Bun's own server.
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

const { PORT, FOLDER = '' } = process.env;
const server = new Server({ path: '/files', datastore: new FileStore({ directory: FOLDER }) });

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  // Without this, an idle connection would be closed while a slow disk writes.
  idleTimeout: 0,
  fetch: (request) => (new URL(request.url).pathname === '/' ? new Response('ready') : server.handleWeb(request)),
});
