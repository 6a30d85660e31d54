import { createConnection } from 'node:net';
import { RemoteError, type RemoteFiles, type RemoteProblem } from '@postshelf/domain';
import { createRemoteFiles, type RemoteFilesOptions } from '@postshelf/media';
import { thrownBy } from '@postshelf/testing/outcomes';
import type { Origin } from './origin.ts';

/** Returns a signal that nobody aborts. */
export const never = (): AbortSignal => new AbortController().signal;

/** Returns remote files that are allowed to reach 127.0.0.1, but no other internal address. */
export const filesFromLoopback = (options: RemoteFilesOptions = {}): RemoteFiles =>
  createRemoteFiles({ allowedNetworks: ['127.0.0.1/32'], ...options });

/** Returns the reason why a URL yielded no file. Any other error is thrown. */
export async function problemOf(promise: Promise<unknown>): Promise<RemoteProblem> {
  const error = await thrownBy(promise);
  if (error instanceof RemoteError) return error.problem;
  throw error;
}

/** Opens the URL and reads the file to its end. */
export async function download(files: RemoteFiles, url: string, signal = never()): Promise<string> {
  return readText((await files.open(url, { signal })).body);
}

export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(new Uint8Array(chunk));
  return Buffer.concat(chunks).toString('latin1');
}

/**
 * Returns the number of connections that the origin has accepted. Connections are accepted in order, so once our own
 * has been accepted, all earlier ones have been counted.
 */
export async function connectionsTo(origin: Origin, address = '127.0.0.1'): Promise<number> {
  const socket = createConnection({ host: address, port: origin.port });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.end('GET /own HTTP/1.1\r\n\r\n');
  for (let visit = await origin.nextVisit(); visit.path !== '/own'; ) visit = await origin.nextVisit();
  socket.destroy();
  await closed;
  return origin.connections - 1;
}
