import { createServer, type IncomingMessage, request as send } from 'node:http';
import { pipeline } from 'node:stream';

/** A request on its way to the store. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Whether the request copies an object, or a part of one, within the store. */
  readonly isCopy: boolean;
  /** Whether the request has a condition on the object with the key. */
  readonly isConditional: boolean;
}

type Decision = 'pass' | keyof typeof REFUSALS;

/** A proxy in front of a real store. A test decides for each request whether the proxy passes it to the store. */
export interface S3Proxy {
  readonly endpoint: string;
  /**
   * Called for each request, which is held until the result is known: `pass` passes it to the store, `slow_down` answers
   * it with S3's 503, and `not_implemented` with its 501.
   */
  decide: (request: ProxiedRequest) => Promise<Decision> | Decision;
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
      const decision = await proxy.decide(describe(request));
      if (decision !== 'pass') {
        request.resume();
        const { status, body } = REFUSALS[decision];
        response.writeHead(status, { 'Content-Type': 'application/xml', Connection: 'close' }).end(body);
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

const errorBody = (code: string, message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

const REFUSALS = {
  slow_down: { status: 503, body: errorBody('SlowDown', 'Please reduce your request rate.') },
  not_implemented: { status: 501, body: errorBody('NotImplemented', 'This header or request is not supported.') },
} as const;

const describe = ({ method = '', url = '', headers }: IncomingMessage): ProxiedRequest => ({
  method,
  url,
  isCopy: 'x-amz-copy-source' in headers,
  isConditional: 'if-match' in headers || 'if-none-match' in headers,
});
