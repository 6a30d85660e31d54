import { PostshelfError } from './error.ts';

/** A personal access token, or a function that gives one for each request, as where tokens are renewed. */
export type Token = string | (() => string | Promise<string>);

/** Where the service is, and the caller's identity. */
export interface Connection {
  /** The service's root, without a trailing slash. */
  readonly root: string;
  /** Whether the browser's session counts: in a page that the service itself serves. */
  readonly bySession: boolean;
  /** How often a call is repeated after a failure that may pass. */
  readonly repeats: number;
  /** The headers that every request to the service carries. @throws PostshelfError `no_token` */
  headers(idempotencyKey?: string | null): Promise<Record<string, string>>;
}

/** @throws TypeError when `baseUrl` is no http or https URL; in a browser it may be relative to the page */
export function connect(baseUrl: string | URL, token: Token | null, repeats: number): Connection {
  const url = new URL(baseUrl, globalThis.location?.href);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`baseUrl: ${url.protocol} is neither http: nor https:`);
  return {
    root: url.origin + url.pathname.replace(/\/+$/, ''),
    bySession: token === null,
    repeats,
    async headers(key = null) {
      try {
        const bearer = typeof token === 'function' ? await token() : token;
        return {
          ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
          ...(key !== null && { 'Idempotency-Key': key }),
        };
      } catch (cause) {
        throw new PostshelfError('no_token', 'The token function failed.', { cause });
      }
    },
  };
}
