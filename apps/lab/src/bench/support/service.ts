import { join } from 'node:path';
import { type Entry, makeWorkspace as make, type Program, type Running, type Settings } from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';
import { postshelf, serve, source } from './program.ts';

type Body = NonNullable<RequestInit['body']>;

export interface Service extends Running {
  readonly workspace: string;
  readonly database: string;
  /** `http://127.0.0.1:{port}` */
  readonly root: string;
  readonly headers: { readonly Authorization: string };
  /** @throws Error unless the answer is a success */
  get(path: string): Promise<unknown>;
  /** @throws Error unless the answer is a success */
  post(path: string, type: string, body: Body): Promise<unknown>;
}

/**
 * Creates a workspace.
 *
 * @param by the program, as for `serve`
 */
export async function makeWorkspace(settings: Settings, timezone = 'UTC', by = source): Promise<Entry> {
  await postshelf(['migrate'], settings, by);
  return make(settings, { name: 'Benchmark', args: ['--timezone', timezone], by });
}

/**
 * Starts the service, with defaults for settings that aren't given.
 *
 * @param by the program, as for `serve`
 */
export async function startService(given: Settings, { workspace, token }: Entry, by?: Program): Promise<Service> {
  const port = await freePort();
  const root = `http://127.0.0.1:${port}`;
  const running = await serve({ ...given, PORT: String(port) }, root, by);
  const authorization = { Authorization: `Bearer ${token}` };
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    const headers = { ...authorization, ...init.headers };
    const response = await fetch(`${root}/v1${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  return {
    ...running,
    workspace,
    database: join(given.DATA_DIR ?? '', 'postshelf.db'),
    root,
    headers: authorization,
    get: (path) => call(path, {}),
    post: (path, type, body) => call(path, { method: 'POST', headers: { 'Content-Type': type }, body }),
  };
}

/**
 * Starts the service with a new workspace.
 *
 * @param by the program, as for `serve`
 */
export const startNewService = async (settings: Settings, by?: Program): Promise<Service> =>
  startService(settings, await makeWorkspace(settings, 'UTC', by), by);

export const uploadUrl = ({ root, workspace }: Service): string => `${root}/v1/workspaces/${workspace}/media_contents`;

/**
 * Sends a body.
 *
 * @throws Error for any answer but 201
 */
export async function send(url: string, headers: Readonly<Record<string, string>>, body: Body): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

export async function makeProfile(service: Service, name: string): Promise<string> {
  const body = JSON.stringify({ name, network: 'benchmark' });
  const made = await service.post(`/workspaces/${service.workspace}/profiles`, 'application/json', body);
  return (made as { readonly data: { readonly id: string } }).data.id;
}

interface Imported {
  readonly data: {
    readonly lines: number;
    readonly created: number;
    readonly updated: number;
    readonly unchanged: number;
  };
}

/**
 * Imports lines.
 *
 * @throws Error unless `outcome` is the outcome of every line
 */
export async function importLines(
  service: Service,
  body: Body,
  outcome: 'created' | 'updated' | 'unchanged',
): Promise<number> {
  const path = `/workspaces/${service.workspace}/posts/import`;
  const { data } = (await service.post(path, 'application/x-ndjson', body)) as Imported;
  if (data[outcome] !== data.lines) throw new Error(`Not all lines were ${outcome}: ${JSON.stringify(data)}`);
  return data.lines;
}
