/** Methods and headers of the API that a page of another origin may use (Fetch standard, section 3.2). */
const METHODS = 'GET, HEAD, POST, PATCH, PUT, DELETE';
const REQUEST_HEADERS = 'Authorization, Content-Type';
const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';

/** Seconds that a browser may remember a preflight's answer. */
const MAX_AGE = '600';

/** Which pages of other origins may call the service from a browser. `*` stands for all. Tokens, not cookies, let them in. */
export class CrossOrigin {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** The answer to a preflight, to be {@link expose}d; null for any other request, and where the page may not. */
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

  /** Lets the page have the answer, errors included. */
  expose(request: Request, response: Response): void {
    if (this.#origins.size === 0) return;
    response.headers.append('Vary', 'Origin');
    const origin = this.#allowed(request);
    if (!origin) return;
    response.headers.set('Access-Control-Allow-Origin', origin);
    response.headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  }

  #allowed(request: Request): string | null {
    const origin = request.headers.get('origin');
    if (origin === null) return null;
    if (this.#origins.has('*')) return '*';
    return this.#origins.has(origin) ? origin : null;
  }
}
