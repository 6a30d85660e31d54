import { PostshelfError } from './error.ts';

/** A token, or a function that returns the current one. */
export type Token = string | (() => string | Promise<string>);

export interface Connection {
  /** The service's root URL, without a trailing slash. */
  readonly root: string;
  /**
   * Whether the browser's session authenticates calls instead of a token, as in pages that the service itself serves.
   */
  readonly bySession: boolean;
  /** Maximum number of retries after a temporary failure. */
  readonly repeats: number;
  /** Returns the headers for a request to the service. @throws PostshelfError `no_token` */
  headers(idempotencyKey?: string | null): Promise<Record<string, string>>;
}

/**
 * Validates the options, and returns the connection.
 *
 * @throws TypeError if `baseUrl` isn't an http or https URL; in a browser, the URL may be relative to the page
 */
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
