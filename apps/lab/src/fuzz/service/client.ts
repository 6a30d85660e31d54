/** What an upload answers, as far as it matters here. */
export interface Stored {
  readonly data: readonly { readonly id: string; readonly full_name: string; readonly link: string }[];
}

/** A client as anybody's: what is done around the cases, and must always work. */
export class Client {
  readonly #root: string;

  constructor(
    port: number,
    private readonly token: string,
  ) {
    this.#root = `http://127.0.0.1:${port}`;
  }

  /** Sends a request, a JSON body with it where there is one. */
  async call(method: string, path: string, body?: object): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    return this.#fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /** The body of a success. @throws Error for any other answer */
  async must<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.call(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Sends a file by multipart. @throws Error unless it is stored */
  async upload(workspace: string, file: Uint8Array): Promise<Stored> {
    const body = new FormData();
    body.append('files[]', new Blob([Buffer.from(file)]), 'plain');
    const headers = { Authorization: `Bearer ${this.token}` };
    const path = `/v1/workspaces/${workspace}/media_contents`;
    const response = await this.#fetch(path, { method: 'POST', headers, body });
    if (response.status !== 201) throw new Error(`An upload answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Stored;
  }

  /** A connection of its own for each: none may be left from a case. */
  #fetch(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.#root}${path}`, { ...init, keepalive: false, signal: AbortSignal.timeout(30_000) });
  }
}
