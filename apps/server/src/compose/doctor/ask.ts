import { connect as connectPlain } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ProxyFacts } from '@postshelf/domain';
import { MAX_FILES_PER_REQUEST, MAX_MULTIPART_FILE_BYTES } from '@postshelf/domain';
import type { Config } from '../../config/config.ts';

/**
 * Maximum milliseconds to wait for an answer. A proxy that hasn't answered an announced upload by then accepts its
 * size, and is waiting for the body.
 */
const PATIENCE = 3_000;

const UPLOADS = '/v1/workspaces/00000000-0000-0000-0000-000000000000/media_contents';

/** Requests PUBLIC_URL as an anonymous client would. @throws Error if nothing answers there */
export async function askProxy({ publicUrl: url, port }: Config): Promise<ProxyFacts> {
  const { hostname, port: publicPort } = new URL(url);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  const list = await ask(`${url}${UPLOADS}`);
  const isOurs = list.status === 401 && (await list.text()).includes('Unauthenticated.');
  const metrics = (await ask(`${url}/metrics`)).status;
  const upload = isOurs ? await announceUpload(new URL(`${url}${UPLOADS}`)) : null;
  return { url, isOurs, metrics, upload, isLocal, isDirect: isLocal && publicPort === String(port) };
}

/**
 * Returns how many milliseconds a server's clock is ahead of this machine's, accurate to a second. Returns null if the
 * server sends no time.
 */
export async function askTime(url: string): Promise<number | null> {
  const before = Date.now();
  const time = Date.parse((await ask(url, 'HEAD')).headers.get('date') ?? '');
  return Number.isNaN(time) ? null : time - (before + Date.now()) / 2;
}

export const ask = (url: string, method: 'GET' | 'HEAD' = 'GET'): Promise<Response> =>
  fetch(url, { method, redirect: 'manual', keepalive: false, signal: AbortSignal.timeout(PATIENCE) });

/**
 * Sends the head of a request for the largest upload that is allowed. Uses a raw socket, because an HTTP client would
 * also send a body.
 *
 * @returns the status of the answer; null if the server waits for the body
 */
function announceUpload({ protocol, hostname, host, port, pathname }: URL): Promise<number | null> {
  const name = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const to = { host: name, port: Number(port || (isTls ? 443 : 80)) };
  const socket = isTls ? connectTls({ ...to, servername: name }) : connectPlain(to);
  const length = MAX_FILES_PER_REQUEST * MAX_MULTIPART_FILE_BYTES;
  const type = 'Content-Type: multipart/form-data; boundary=doctor';
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${type}\r\nContent-Length: ${length}\r\n\r\n`);
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  socket.on('data', (data) => resolve(Number(/^HTTP\/1\.\d (\d{3})/.exec(data.toString('latin1'))?.[1] ?? 0)));
  socket.on('error', reject);
  socket.on('close', () => reject(new Error(`The connection to ${host} was closed without an answer.`)));
  const timer = setTimeout(() => resolve(null), PATIENCE);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}
