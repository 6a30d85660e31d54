import { serve } from '@postshelf/harness/answers';
import { Origin } from '@postshelf/harness/origin';
import { fixture } from '@postshelf/testing/fixtures';
import type { Try } from './request-loop.ts';

/** Milliseconds between two reads of an item that isn't finished. */
const POLL = 100;
/** Milliseconds before a repeat if the answer has no `Retry-After`. */
const RETRY = 200;

interface Item {
  readonly id: string;
  readonly status: string;
  readonly thumbnail: object | null;
}

interface Answer {
  readonly status: number;
  readonly outcome: Try;
  readonly items: readonly Item[];
}

/** Sends a request that creates an item. */
type Begin = (signal: AbortSignal) => Promise<Answer>;

/** The honest tenant: stores small images and videos, and reads them. */
export class Tenant {
  #imports = 0;

  private constructor(
    private readonly root: string,
    private readonly workspace: string,
    private readonly token: string,
    private readonly image: Blob,
    private readonly video: Blob,
    private readonly pages: readonly string[],
  ) {}

  static async open(root: string, workspace: string, token: string): Promise<Tenant> {
    const origin = await Origin.open();
    const [image, video] = [await (await fixture('jpeg')).bytes(), await (await fixture('mp4-short')).bytes()];
    const pages = [origin.page('image.jpg', serve(image)).url, origin.page('video.mp4', serve(video)).url];
    const blobs = [new Blob([Buffer.from(image)]), new Blob([Buffer.from(video)])] as const;
    return new Tenant(root, workspace, token, ...blobs, pages);
  }

  /**
   * Stores an image that is read repeatedly, and returns its id.
   *
   * @throws Error unless the first attempt succeeds
   */
  async storeOne(): Promise<string> {
    const { status, items } = await this.#send(this.image, AbortSignal.timeout(60_000));
    if (status !== 201 || !items[0]) throw new Error(`The first image was answered with ${status}.`);
    return items[0].id;
  }

  /** Sends a `GET` to an address that needs no token. */
  readonly get = (url: string) => () => async (signal: AbortSignal) => {
    const response = await fetch(url, once({ signal }));
    await response.arrayBuffer();
    return outcomeOf(response);
  };

  /** Sends a `GET` of an item. */
  readonly read = (id: string) => () => async (signal: AbortSignal) => (await this.#item(id, signal)).outcome;

  /** Uploads an image as multipart form data. */
  readonly storeImage = () => async (signal: AbortSignal) => (await this.#send(this.image, signal)).outcome;

  /** Uploads a video as multipart form data, and waits until it has its cover. */
  readonly storeVideo = () => this.#followed(this.#sending(this.video), ({ thumbnail }) => thumbnail !== null);

  /** Uploads an image as multipart form data, and waits until its first preview is shown. */
  readonly preview = () => {
    let id: string | undefined;
    return async (signal: AbortSignal): Promise<Try> => {
      if (id === undefined) {
        const { outcome, items } = await this.#send(this.image, signal);
        id = items[0]?.id;
        if (id === undefined) return outcome ?? { status: 0, retryIn: RETRY };
      }
      return this.get(`${this.root}/previews/${this.workspace}/${id}/160.webp`)()(signal);
    };
  };

  /** Requests a fit of an item, and waits until it is `active`. */
  readonly fit = (id: string) => () => {
    const headers = { ...this.#headers, 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ target: 'x.post' }) };
    const begin = (signal: AbortSignal) => this.#ask(`/media_contents/${id}/fit`, { ...init, signal });
    return this.#followed(begin, ({ status }) => status !== 'processing');
  };

  /** Imports an image or, on every second call, a video by URL, and waits while the item is `processing`. */
  readonly importNext = () => {
    this.#imports += 1;
    const url = this.pages[this.#imports % this.pages.length];
    return this.#followed(this.#sending(JSON.stringify({ url })), ({ status }) => status !== 'processing');
  };

  #sending(body: Blob | string): Begin {
    return (signal) => this.#send(body, signal);
  }

  /** Repeats the request until it is accepted, and then reads the item until `isDone` returns true. */
  #followed(begin: Begin, isDone: (item: Item) => boolean): (signal: AbortSignal) => Promise<Try> {
    let id: string | undefined;
    return async (signal) => {
      if (id === undefined) {
        const { outcome, items } = await begin(signal);
        id = items[0]?.id;
        if (id === undefined) return outcome ?? { status: 0, retryIn: RETRY };
      }
      const { outcome, items } = await this.#item(id, signal);
      if (outcome) return outcome;
      if (items[0]?.status === 'failed') throw new Error('What an honest tenant asked for failed.');
      return items[0] && isDone(items[0]) ? null : { status: 202, retryIn: POLL };
    };
  }

  #send(body: Blob | string, signal: AbortSignal) {
    const form = new FormData();
    if (typeof body !== 'string') form.append('files[]', body, 'honest');
    const headers = { ...this.#headers, ...(typeof body === 'string' && { 'Content-Type': 'application/json' }) };
    const sent = typeof body === 'string' ? body : form;
    return this.#ask(`/workspaces/${this.workspace}/media_contents`, { method: 'POST', headers, body: sent, signal });
  }

  #item(id: string, signal: AbortSignal) {
    return this.#ask(`/media_contents/${id}`, { headers: this.#headers, signal });
  }

  get #headers(): { readonly Authorization: string } {
    return { Authorization: `Bearer ${this.token}` };
  }

  async #ask(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.root}/v1${path}`, once(init));
    const text = await response.text();
    if (!response.ok) return { status: response.status, outcome: outcomeOf(response), items: [] };
    const { data } = JSON.parse(text) as { readonly data: Item | readonly Item[] };
    return { status: response.status, outcome: null, items: [data].flat() as readonly Item[] };
  }
}

/** Returns the outcome of an attempt. The next attempt waits as long as `Retry-After` says. */
function outcomeOf({ ok, status, headers }: Response): Try {
  return ok ? null : { status, retryIn: 1000 * Number(headers.get('retry-after') ?? 0) || RETRY };
}

/** Uses a new connection for each request, so that the wait includes the time until a connection is accepted. */
const once = (init: RequestInit): RequestInit => ({ ...init, keepalive: false }) as RequestInit;
