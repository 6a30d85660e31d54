import { PostshelfError } from '@postshelf/client';
import type { PickerToken } from './picked-item.ts';

/** The token of a picker; one from a function is kept as long as the service accepts it. */
export class Access {
  #source: PickerToken | null = null;
  #asked: Promise<string> | null = null;

  /** Pages may set a new function at every render: its predecessor's token is kept. null forgets it. */
  use(source: PickerToken | null): void {
    if (source === null || typeof source !== typeof this.#source) this.#asked = null;
    this.#source = source;
  }

  get isGiven(): boolean {
    return this.#source !== null;
  }

  /**
   * For the client, which calls it before each request. @throws what the page's function throws; Error where there is
   * no token
   */
  readonly token = (): string | Promise<string> => {
    const source = this.#source;
    if (source === null) throw new Error('The page has given no token.');
    if (typeof source === 'string') return source;
    return this.#askOnce(source);
  };

  /**
   * Makes a call, and repeats it with another token if the service refuses the first, which may have expired.
   *
   * @throws what the call throws
   */
  async attempt<T>(call: () => Promise<T>): Promise<T> {
    if (typeof this.#source !== 'function') return call();
    const source = this.#source;
    const used = this.#askOnce(source);
    try {
      return await call();
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      // Of several calls that are refused at once the first one gets a new token.
      if (this.#asked === used) this.#asked = null;
      return call();
    }
  }

  #askOnce(source: () => string | Promise<string>): Promise<string> {
    if (this.#asked !== null) return this.#asked;
    const asked = new Promise<string>((resolve) => resolve(source()));
    // The next caller asks the page again.
    asked.catch(() => {
      if (this.#asked === asked) this.#asked = null;
    });
    this.#asked = asked;
    return asked;
  }
}

const isTokenRefused = (error: unknown): boolean => error instanceof PostshelfError && error.status === 401;
