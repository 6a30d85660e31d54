import { PostshelfError } from '@postshelf/client';
import type { PickerToken } from './picked-item.ts';

/** A picker's access token. A token that the page's function has returned is used until the service refuses it. */
export class Access {
  #source: PickerToken | null = null;
  #asked: Promise<string> | null = null;

  /**
   * Sets the token or function. If one function replaces another, the token is kept, because pages may create a new
   * function on every render; null discards the token.
   */
  use(source: PickerToken | null): void {
    if (source === null || typeof source !== typeof this.#source) this.#asked = null;
    this.#source = source;
  }

  get isGiven(): boolean {
    return this.#source !== null;
  }

  /**
   * Returns the token for a request; the client calls this before each one.
   *
   * @throws whatever the page's function throws; Error if the page has set no token
   */
  readonly token = (): string | Promise<string> => {
    const source = this.#source;
    if (source === null) throw new Error('The page hasn’t provided a token.');
    if (typeof source === 'string') return source;
    return this.#askOnce(source);
  };

  /**
   * Makes a call. If the service refuses the token, which may have expired, repeats the call with a new token from the
   * page's function.
   *
   * @throws whatever the call throws
   */
  async attempt<T>(call: () => Promise<T>): Promise<T> {
    if (typeof this.#source !== 'function') return call();
    const source = this.#source;
    const used = this.#askOnce(source);
    try {
      return await call();
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      // If several calls are refused at the same time, only the first one requests a new token.
      if (this.#asked === used) this.#asked = null;
      return call();
    }
  }

  #askOnce(source: () => string | Promise<string>): Promise<string> {
    if (this.#asked !== null) return this.#asked;
    const asked = new Promise<string>((resolve) => resolve(source()));
    // After a failure the next call asks the page again for a token.
    asked.catch(() => {
      if (this.#asked === asked) this.#asked = null;
    });
    this.#asked = asked;
    return asked;
  }
}

const isTokenRefused = (error: unknown): boolean => error instanceof PostshelfError && error.status === 401;
