import { connect as connectPlainly } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

export interface RawRequest {
  readonly method: string;
  /** All headers except `Host` and `Connection`, sent unchanged, even with a wrong length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Sends a request unchanged, even an invalid one that HTTP clients refuse to send. Then ends the sending side, and
 * waits until the server has closed the connection.
 *
 * @returns the status; null if the server closed without an answer
 */
export async function sendRaw(url: string, { method, headers, body }: RawRequest): Promise<number | null> {
  const { protocol, hostname, port, host, origin } = new URL(url);
  // The path is taken from the text, because parsing resolves dot segments.
  const path = url.slice(origin.length) || '/';
  const lines = Object.entries({ Host: host, Connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const head = [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  const isSecure = protocol === 'https:';
  const target = { host: hostname, port: Number(port) || (isSecure ? 443 : 80) };
  const socket = isSecure ? connectSecurely({ ...target, servername: hostname }) : connectPlainly(target);
  return new Promise((resolve, reject) => {
    let answer = '';
    let connected = false;
    socket.on(isSecure ? 'secureConnect' : 'connect', () => {
      connected = true;
      socket.end(Buffer.concat([Buffer.from(head), body]));
    });
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
    });
    socket.on('error', (error) => {
      // Later errors are ignored, because a server may close the connection while a refused body is being sent. If it
      // has answered by then, the status is still returned.
      if (!connected) reject(error);
    });
    socket.on('close', () => {
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer.replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, ''))?.[1];
      resolve(status === undefined ? null : Number(status));
    });
  });
}
