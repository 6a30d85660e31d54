import { within } from '@postshelf/harness';

/** The fields of an upload's answer that are read here. */
export interface Stored {
  readonly data: readonly { readonly id: string; readonly full_name: string; readonly link: string }[];
}

/** An ordinary client for requests that aren't part of a case and must succeed. */
export class Client {
  readonly #root: string;

  constructor(
    port: number,
    private readonly token: string,
  ) {
    this.#root = `http://127.0.0.1:${port}`;
  }

  /** Sends a request, with a JSON body if one is given. */
  async call(
    method: string,
    path: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json', ...more };
    return this.#fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /**
   * Sends a request and returns the answer's body.
   *
   * @throws Error unless the request succeeds
   */
  async must<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.call(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  /**
   * Uploads a file as multipart/form-data.
   *
   * @throws Error unless the file is stored
   */
  async upload(workspace: string, file: Uint8Array): Promise<Stored> {
    const body = new FormData();
    body.append('files[]', new Blob([Buffer.from(file)]), 'plain');
    const headers = { Authorization: `Bearer ${this.token}` };
    const path = `/v1/workspaces/${workspace}/media_contents`;
    const response = await this.#fetch(path, { method: 'POST', headers, body });
    if (response.status !== 201) throw new Error(`An upload answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Stored;
  }

  /** Sends a request on a new connection, because a case may have broken one that was kept alive. */
  #fetch(path: string, init: RequestInit): Promise<Response> {
    return within(`an answer of ${path}`, fetch(`${this.#root}${path}`, { ...init, keepalive: false }), 30_000);
  }
}
