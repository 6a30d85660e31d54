import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  jsonCommand,
  makeWorkspace,
  program,
  REPOSITORY,
  type Running,
  type Settings,
  startProcess,
} from '@postshelf/harness';
import { Origin } from '@postshelf/harness/origin';
import { freePort } from '@postshelf/testing/servers/free-port';
import { seedBytes } from '../bytes/bytes.ts';
import type { ForgedToken } from '../case.ts';
import { Client } from './client.ts';
import { forge } from './forge.ts';
import { Log } from './log.ts';

/** Long enough for the service. Cases also forge tokens with it. */
const SECRET = 'fuzzing-secret-0123456789abcdef0123456789abcdef0123456789abcdef';

const SETTINGS = {
  JWT_SECRET: SECRET,
  LOG_FORMAT: 'json',
  LOG_LEVEL: 'info',
  // Stalled cases end soon; imports come from this machine, and fail fast.
  UPLOAD_IDLE_TIMEOUT_MS: '500',
  UPLOAD_CONCURRENCY: '100',
  IMPORT_ALLOWED_NETWORKS: '127.0.0.0/8',
  IMPORT_RETRY_DELAYS: '10,10',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_RETRY_DELAYS: '10,10',
  // Nothing listens there: what a browser brings back from the provider is checked before the provider is contacted.
  OIDC_ISSUER: 'http://127.0.0.1:1',
  OIDC_CLIENT_ID: 'fuzz',
  OIDC_CLIENT_SECRET: 'fuzz',
};

const source = program;

/** A `serve` process. */
interface Served extends Running {
  readonly port: number;
}

/** Starts the service with its log in a file. */
async function serve(settings: Settings, log: string): Promise<Served> {
  const port = await freePort();
  const running = await startProcess([...source.command, 'serve'], {
    env: { ...source.environment, ...settings, PORT: String(port) },
    output: { appendTo: log },
    probe: `http://127.0.0.1:${port}/health`,
  });
  return { ...running, port };
}

const postshelf = (args: readonly string[], settings: Settings) => jsonCommand(args, settings, source);

/** A service over a library with a few items of every kind. */
export class World implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    readonly program: Served,
    readonly client: Client,
    readonly log: Log,
    readonly origin: Origin,
    /** The ids that `{{name}}` stands for in a case. */
    readonly ids: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts a service over a new folder.
   *
   * @throws Error if it can't be filled
   */
  static async open(settings: Settings = {}): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'postshelf-fuzz-'));
    const data = join(folder, 'data');
    const own = { ...SETTINGS, ...settings, DATA_DIR: data };
    await postshelf(['migrate'], own);
    const make = (name: string) => makeWorkspace(own, { name, args: ['--system-folder', 'Kept'], by: source });
    const [home, elsewhere] = [await make('Fuzzed'), await make('Elsewhere')];
    const path = join(folder, 'log');
    const program = await serve(own, path);
    const client = new Client(program.port, home.token);
    const ids = {
      host: `127.0.0.1:${program.port}`,
      ...home,
      ...partsOf(home.token),
      foreign: elsewhere.workspace,
      foreignToken: elsewhere.token,
      unknown: '01890000-0000-7000-8000-000000000000',
      ...(await signIn(program.port, home.token)),
      asset: await assetOf(program.port),
      ...(await fillLibrary(client, home.workspace)),
    };
    return new World(folder, program, client, new Log(path), await Origin.open(), ids);
  }

  /** Replaces the placeholders in a case's text by ids, and `{{bearer}}` by the forged token. */
  filler(bearer?: ForgedToken): (text: string) => string {
    return (text) =>
      text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
        if (name === 'bearer' && bearer) return forge(bearer, SECRET, this.filler());
        return this.ids[name] ?? whole;
      });
  }

  /** Folders that no answer may name. */
  get secrets(): { readonly folders: readonly string[] } {
    return { folders: [this.folder, REPOSITORY] };
  }

  /** The service's `DATA_DIR`. */
  get data(): string {
    return join(this.folder, 'data');
  }

  /**
   * Runs a command over the same library.
   *
   * @throws Error if it fails
   */
  postshelf(args: readonly string[]): Promise<Record<string, unknown>> {
    return postshelf(args, { ...SETTINGS, DATA_DIR: this.data });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program.end();
    this.origin.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Signs in, and returns the session's cookie and its parts.
 *
 * @throws Error if it is refused
 */
async function signIn(port: number, token: string): Promise<Readonly<Record<string, string>>> {
  const origin = `http://127.0.0.1:${port}`;
  const headers = { Origin: origin, 'Content-Type': 'application/json' };
  const response = await fetch(`${origin}/v1/sessions`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const [cookie = '', cookieName, cookieValue] =
    /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (!cookieName || !cookieValue) throw new Error(`Signing in was answered with ${response.status}.`);
  return { cookie, cookieName, cookieValue };
}

/**
 * Returns the path of a script of the pages.
 *
 * @throws Error if there is none
 */
async function assetOf(port: number): Promise<string> {
  const html = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  const path = /src="\.(\/assets\/[^"]+)"/.exec(html)?.[1];
  if (path === undefined) throw new Error('The page has no script.');
  return path;
}

/** The parts of a token. */
function partsOf(token: string): Readonly<Record<string, string>> {
  const [tokenHeader = '', tokenClaims = '', tokenSignature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(tokenClaims, 'base64url').toString()) as Readonly<Record<string, unknown>>;
  return {
    tokenHeader,
    tokenClaims,
    tokenSignature,
    jti: String(claims.jti),
    sub: String(claims.sub),
    exp: String(claims.exp),
  };
}

interface Made {
  readonly data: { readonly id: string };
}

interface Presigned {
  readonly data: readonly { readonly id: string; readonly upload_url: string }[];
}

/**
 * Starts a resumable upload and sends nothing.
 *
 * @returns the id of the upload
 */
async function beginResumable(client: Client, home: string): Promise<string> {
  const headers = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '1000000',
    'Upload-Metadata': 'filename YS5wbmc=',
  };
  const response = await client.call('POST', `${home}/uploads`, undefined, headers);
  return response.headers.get('location')?.split('/').at(-1) ?? '';
}

async function fillLibrary(client: Client, workspace: string): Promise<Readonly<Record<string, string>>> {
  const home = `/v1/workspaces/${workspace}`;
  const post = async <T>(path: string, body: object): Promise<T> => client.must<T>('POST', `${home}${path}`, body);
  const folder = await post<Made>('/media_library/folders', { name: 'Summer' });
  const profile = await post<Made>('/profiles', { name: 'Beach club', network: 'instagram' });
  const photo = await client.upload(workspace, seedBytes('jpeg.jpg'));
  const video = await client.upload(workspace, seedBytes('mp4-short.mp4'));
  const media = photo.data[0]?.id ?? '';
  const trashed = (await client.upload(workspace, seedBytes('png.png'))).data[0]?.id ?? '';
  await client.call('DELETE', `/v1/media_contents/${trashed}`);
  const made = await post<Made>('/posts', {
    profile: profile.data.id,
    published_at: '2026-01-31T18:30:00Z',
    external_id: 'first',
    media_content_ids: [media],
  });
  const size = seedBytes('png.png').length;
  const file = { name: 'later.png', size, mime: 'image/png' };
  const presigned = await post<Presigned>('/media_contents/presign', { files: [file] });
  const upload = new URL(presigned.data[0]?.upload_url ?? '');
  const webhook = await post<Made>('/webhooks', { url: 'http://127.0.0.1:9/' });
  const delivery = await client.must<Made>('POST', `/v1/webhooks/${webhook.data.id}/test`, {});
  const calendar = await post<{ readonly data: { readonly id: string; readonly url: string } }>('/calendars', {});
  const feed = new URL(calendar.data.url);
  const zipped = await post<{ readonly data: { readonly link: string } }>('/media_contents/zip', { ids: [media] });
  const archive = new URL(zipped.data.link);
  return {
    folder: folder.data.id,
    profile: profile.data.id,
    post: made.data.id,
    webhook: webhook.data.id,
    delivery: delivery.data.id,
    calendar: calendar.data.id,
    feed: feed.pathname + feed.search,
    archive: archive.pathname + archive.search,
    media,
    trashed,
    resumable: await beginResumable(client, home),
    video: video.data[0]?.id ?? '',
    temporary: presigned.data[0]?.id ?? '',
    link: `/files/${photo.data[0]?.full_name.split('/').map(encodeURIComponent).join('/')}`,
    upload: upload.pathname + upload.search,
  };
}
