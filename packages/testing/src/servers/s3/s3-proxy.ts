import { createServer, type IncomingMessage, request as send } from 'node:http';
import { pipeline } from 'node:stream';

/** A request on its way to the store. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether the request copies an object within the store. */
  readonly isCopy: boolean;
}

/** A proxy in front of a real store. A test decides for each request whether the proxy passes it to the store. */
export interface S3Proxy {
  readonly endpoint: string;
  /**
   * Called for each request, which is held until the result is known: `pass` passes it to the store, and `slow_down`
   * answers it with S3's 503.
   */
  decide: (request: ProxiedRequest) => Promise<'pass' | 'slow_down'> | 'pass' | 'slow_down';
  close(): Promise<void>;
}

/**
 * Opens a proxy.
 *
 * @param endpoint base URL of the store; the `Host` that a client sends, and signs, is passed on unchanged
 */
export async function openS3Proxy(endpoint: string): Promise<S3Proxy> {
  const { hostname, port } = new URL(endpoint);
  const server = createServer((request, response) => {
    const passOn = async (): Promise<void> => {
      if ((await proxy.decide(describe(request))) === 'slow_down') {
        request.resume();
        response.writeHead(503, { 'Content-Type': 'application/xml', Connection: 'close' }).end(SLOW_DOWN);
        return;
      }
      const { method, url, rawHeaders } = request;
      const upstream = send({ hostname, port, method, path: url, headers: rawHeaders, agent: false });
      upstream.on('response', (answer) => {
        // The client may have disconnected by now.
        if (response.destroyed) {
          answer.resume();
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        pipeline(answer, response, () => undefined);
      });
      upstream.on('error', () => response.destroy());
      if (!request.destroyed) pipeline(request, upstream, () => undefined);
      else if (hasBody(request)) upstream.destroy();
      else upstream.end();
    };
    passOn().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The proxy is not listening.');
  const proxy: S3Proxy = {
    endpoint: `http://127.0.0.1:${address.port}`,
    decide: () => 'pass',
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in headers;

const SLOW_DOWN = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`;

const describe = ({ method = '', url = '', headers }: IncomingMessage): ProxiedRequest => ({
  method,
  url,
  isCopy: 'x-amz-copy-source' in headers,
});
