import { Violation } from '../violation.ts';
import { sendSlowly } from './slow-body.ts';

/** A complete answer; `json` is undefined if the body isn't JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: unknown;
}

/** Milliseconds after which a client stops waiting for an answer. The outcome of the request is then unknown. */
const TIMEOUT = 90_000;

const BUSY_TRIES = 10;

/** The service over HTTP, as a client with a token uses it. */
export class Api {
  constructor(
    readonly root: string,
    readonly workspace: string,
    private readonly token: string,
  ) {}

  /**
   * Sends a request to a path below `/v1`, with JSON, a form or no body. Returns null if no complete answer arrived.
   *
   * @param key the `Idempotency-Key` of a request that may be repeated
   */
  async call(method: string, path: string, body?: unknown, key?: string): Promise<Answer | null> {
    const headers = new Headers({ Authorization: `Bearer ${this.token}` });
    if (key !== undefined) headers.set('Idempotency-Key', key);
    if (body !== undefined && !(body instanceof FormData)) headers.set('Content-Type', 'application/json');
    const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
    return exchange(`${this.root}/v1${path}`, { method, headers, ...(sent === undefined ? {} : { body: sent }) });
  }

  get #tusHeaders() {
    return { Authorization: `Bearer ${this.token}`, 'Tus-Resumable': '1.0.0' };
  }

  /** Sends a request of tus 1.0 without a body. */
  tus(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer | null> {
    return exchange(`${this.root}/v1${path}`, { method, headers: { ...this.#tusHeaders, ...headers } });
  }

  /** Sends bytes of a resumable upload, like {@link sendSlowly}. */
  async patch(
    path: string,
    offset: number,
    body: Uint8Array,
    pause: number,
    onSent: (bytes: number) => void,
  ): Promise<Answer | null> {
    const headers = {
      ...this.#tusHeaders,
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
    };
    const answer = await sendSlowly(`${this.root}/v1${path}`, { method: 'PATCH', headers, body }, pause, onSent);
    return answer && { ...answer, json: parse(answer.text) };
  }

  /**
   * Sends a `GET` like {@link call}, but repeats it while the service reports that it is too busy.
   *
   * @throws Violation if no answer arrives
   */
  async get(path: string): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.call('GET', path);
      if (answer && (answer.status !== 503 || tries === BUSY_TRIES)) return answer;
      if (!answer) break;
      await Bun.sleep(1000);
    }
    throw new Violation('Nobody answers, although nobody was killed.', { path });
  }

  /**
   * Opens an event stream of the workspace, which resumes after the event `lastId` if one is given. Returns null if no
   * answer arrives, or if the service is unavailable.
   *
   * @throws Violation if the service refuses the stream
   */
  async stream(path: string, lastId: string | null): Promise<Response | null> {
    const headers = { Authorization: `Bearer ${this.token}`, ...(lastId !== null && { 'Last-Event-ID': lastId }) };
    const url = `${this.root}/v1/workspaces/${this.workspace}${path}`;
    const answer = await fetch(url, { headers, keepalive: false } as RequestInit).catch(() => null);
    if (answer === null || answer.status >= 500) return null;
    if (answer.status !== 200) throw new Violation('A stream is refused.', { status: answer.status });
    return answer;
  }

  /** Follows a link and its redirects, and returns the bytes and the last status. */
  async download(fullName: string): Promise<{ readonly status: number; readonly bytes: Uint8Array }> {
    const path = fullName.split('/').map(encodeURIComponent).join('/');
    const response = await fetch(`${this.root}/files/${path}`, once({}));
    return { status: response.status, bytes: await response.bytes() };
  }
}

/** Sends a file to a presigned address. */
export const send = (
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
): Promise<Answer | null> => exchange(url, { method, headers, body: Buffer.from(bytes) });

/**
 * Makes a request use a new connection. On a connection that was kept alive, `fetch` would silently repeat the request
 * after the service was killed.
 */
const once = (init: RequestInit): RequestInit =>
  ({ ...init, keepalive: false, signal: AbortSignal.timeout(TIMEOUT) }) as RequestInit;

async function exchange(url: string, init: RequestInit): Promise<Answer | null> {
  try {
    const response = await fetch(url, once(init));
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: parse(text) };
  } catch {
    // The process was killed, as intended.
    return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
