import { createHmac } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
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
import type { ForgedToken } from '../case.ts';
import { Client } from './client.ts';
import { fillLibrary } from './fill-library.ts';

/** A secret that is long enough for the service. Cases also forge tokens with it. */
const SECRET = 'fuzzing-secret-0123456789abcdef0123456789abcdef0123456789abcdef';

const SETTINGS = {
  JWT_SECRET: SECRET,
  LOG_FORMAT: 'json',
  LOG_LEVEL: 'info',
  // Makes stalled uploads and failing imports end soon, and allows imports from this machine and webhooks to it.
  UPLOAD_IDLE_TIMEOUT_MS: '500',
  UPLOAD_CONCURRENCY: '100',
  IMPORT_ALLOWED_NETWORKS: '127.0.0.0/8',
  IMPORT_RETRY_DELAYS: '10,10',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_RETRY_DELAYS: '10,10',
  // Nothing listens at this address. That doesn't matter, because the service checks the browser's callback before it
  // contacts the provider.
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

/** A service with a library that contains a few items of every kind. */
export class World implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    readonly program: Served,
    readonly client: Client,
    readonly log: Log,
    readonly origin: Origin,
    /** The ids that replace `{{name}}` in a case. */
    readonly ids: Readonly<Record<string, string>>,
  ) {}

  /**
   * Starts a service with a new folder.
   *
   * @throws Error if its library can't be filled
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

  /**
   * Returns a function that replaces the placeholders in a case's text by ids, and `{{bearer}}` by the forged token.
   */
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
   * Runs a command of the program on the same library.
   *
   * @throws Error if the command fails
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
 * Signs in, and returns the session's cookie, both whole and as a name and a value.
 *
 * @throws Error if the service refuses the token
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
 * Returns the path of a script that the pages load.
 *
 * @throws Error if the pages load no script
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

const KEYS = { empty: '', other: 'another-secret-0123456789abcdef0123456789abcdef' };

/** Returns a token with these parts (RFC 7515 section 3.1), signed with the given hash and key. */
function forge({ header, claims, hash, key, tail }: ForgedToken, own: string, fill: (text: string) => string) {
  const encode = (text: string): string => Buffer.from(fill(text), 'latin1').toString('base64url');
  const signed = `${encode(header)}.${encode(claims)}`;
  const secret = key === 'own' ? own : KEYS[key];
  const signature = hash === 'none' ? '' : createHmac(hash, secret).update(signed).digest('base64url');
  return `${signed}.${signature}${tail}`;
}

const COMPLAINTS: readonly unknown[] = ['error', 'fatal'];

/** The log of the service, read as it grows. */
class Log {
  #offset = 0;
  #rest = '';

  constructor(private readonly path: string) {}

  /** Returns the lines added since the last call that are errors, or not valid log lines. */
  async complaints(): Promise<readonly string[]> {
    await using file = await open(this.path, 'r');
    const { size } = await file.stat();
    const bytes = Buffer.alloc(size - this.#offset);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#offset);
    this.#offset += bytesRead;
    const lines = (this.#rest + bytes.subarray(0, bytesRead).toString('utf8')).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter(isComplaint).map((line) => line.slice(0, 1500));
  }
}

function isComplaint(line: string): boolean {
  try {
    const { level } = JSON.parse(line) as { readonly level?: unknown };
    return typeof level !== 'string' || COMPLAINTS.includes(level);
  } catch {
    return line.trim() !== '';
  }
}
