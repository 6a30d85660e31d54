/** Methods of the API that pages of other origins may use (Fetch standard, section 3.2). */
const METHODS = 'GET, HEAD, POST, PATCH, PUT, DELETE';

/** Request headers of the tus protocol (tus 1.0, "Headers"). */
const TUS_REQUEST_HEADERS = [
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Offset',
  'Upload-Metadata',
  'Upload-Checksum',
  'Upload-Defer-Length',
  'X-HTTP-Method-Override',
];

/**
 * Request headers that pages may send. `*` also allows headers that the service ignores, but client libraries add, such
 * as Dropzone's `Cache-Control` and `X-Requested-With`. The headers that the service reads are listed by name, because
 * `*` never covers `Authorization` (Fetch standard, section 3.2.3), and older browsers don't support `*`.
 */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'trpc-accept',
  'traceparent',
  'tracestate',
  'baggage',
  'X-Request-Id',
  'If-None-Match',
  'If-Match',
  'Range',
  'Idempotency-Key',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Cache-Control',
  'X-Requested-With',
  ...TUS_REQUEST_HEADERS,
  '*',
].join(', ');

const TUS_RESPONSE_HEADERS = [
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Checksum-Algorithm',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Expires',
];

/** Headers that pages may read. Each one is listed, because CORS has no patterns for prefixes. */
const EXPOSED_HEADERS = [
  'ETag',
  'Content-Disposition',
  'Content-Range',
  'Accept-Ranges',
  'Content-Length',
  'Last-Event-ID',
  'Location',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-Request-Id',
  'Idempotency-Replayed',
  'Postshelf-Media-Id',
  ...TUS_RESPONSE_HEADERS,
].join(', ');

/** Seconds for which a browser may cache a preflight's answer. */
const MAX_AGE = '600';

/**
 * Decides which pages of other origins may call the service; the origin `*` allows all pages. These pages need a token,
 * because cookies don't authorise requests from other origins.
 */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /**
   * Returns the answer to a preflight; null for any other request, or if the origin isn't allowed. The caller has to
   * pass the answer to {@link expose}.
   */
  preflight(request: Request): Response | null {
    if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method')) return null;
    if (!this.#allowed(request)) return null;
    const headers = {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': MAX_AGE,
    };
    return new Response(null, { status: 204, headers });
  }

  /** Adds the headers that let the page read the answer, even if it is an error. */
  expose(request: Request, response: Response): void {
    if (this.#origins.size === 0) return;
    response.headers.append('Vary', 'Origin');
    const origin = this.#allowed(request);
    if (!origin) return;
    response.headers.set('Access-Control-Allow-Origin', origin);
    response.headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  }

  allows(origin: string): boolean {
    return this.#origins.has('*') || this.#origins.has(origin);
  }

  #allowed(request: Request): string | null {
    const origin = request.headers.get('origin');
    if (origin === null) return null;
    if (this.#origins.has('*')) return '*';
    return this.#origins.has(origin) ? origin : null;
  }
}
