import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { expectDocumented } from './contract.ts';
import { databaseOfWorld, type WorldDatabase } from './database.ts';
import { isFleet, serversOfSuite, startFleet } from './fleet.ts';
import { boundary, type MultipartBody, multipart, type Part } from './multipart.ts';
import { createWorkspaces, issueOperatorToken, ORDINARY_SCOPES, preparedLibrary } from './prepared-library.ts';
import { type Program, program } from './program.ts';
import { at, makeReply, type Reply, stringAt } from './reply.ts';
import {
  command,
  freePort,
  jsonCommand,
  removeFolder,
  type Server,
  type Settings,
  scratchFolder,
  startServer,
} from './server.ts';
import { type MediaItem, mediaItems, oneMediaItem } from './shapes.ts';
import { storageOfWorld, type WorldStorage } from './storage.ts';
import { startStopwatch, until } from './until.ts';

export interface CallOptions {
  /** The name of a token in {@link World.tokens}, or a token itself. `null` sends no token. The default is `all`. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** A value for the body, which is sent as `application/json`. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
}

/** The data folder and the processes of a world. */
export interface WorldOptions {
  /** The path of the data folder for the processes. The default is a new scratch folder. */
  readonly dataDir?: string;
  /**
   * The path at which tests find the data folder, if the processes see it in their own mount namespace. The default is
   * `dataDir`.
   */
  readonly outside?: string;
  readonly program?: Program;
  /** The number of server processes. The default is {@link serversOfSuite}. */
  readonly servers?: number;
  /** The arguments of a single server process, if they aren't just `serve`. */
  readonly args?: readonly string[];
}

/** The body of a response. A stream of events has no end, so only its first chunk is read. */
async function bytesOf(response: Response): Promise<Uint8Array> {
  const type = response.headers.get('content-type');
  if (type !== 'text/event-stream' || !response.body) return new Uint8Array(await response.arrayBuffer());
  const reader = response.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return value ?? new Uint8Array();
}

/**
 * Waits until a server has collected garbage after its start, so that tests don't mistake the effects of garbage
 * collection for those of their own requests. Waits for at most two seconds, because not every log mentions garbage
 * collection.
 */
async function untilFirstCollection(server: Server): Promise<void> {
  using stopwatch = startStopwatch();
  while (stopwatch.elapsed() < 2000 && !server.log().includes('garbage collected')) await Bun.sleep(10);
}

/**
 * A running service with one workspace, a token for it, and a second workspace that this token may not access. The
 * variables of the suite (`POSTSHELF_TEST_…`) select the database, the storage and the number of processes; a world's
 * own settings have precedence.
 */
export class World {
  /** The values of `{key}` in paths, bodies and expectations. */
  readonly ids: Record<string, string> = {};
  /** Tokens by the names that calls use. */
  readonly tokens: Record<string, string> = {};

  private constructor(
    readonly dataDir: string,
    public server: Server,
    private readonly servers: number,
    readonly database: WorldDatabase,
    readonly storage: WorldStorage,
  ) {}

  /**
   * Starts a service with the workspaces `{workspace}` and `{foreign}`, and the tokens `all` and `foreign` for them.
   *
   * @param workspaceArgs further arguments of the command that creates `{workspace}`
   */
  static async open(
    settings: Settings = {},
    workspaceArgs: readonly string[] = [],
    {
      dataDir = scratchFolder(),
      outside = dataDir,
      program: by = program,
      servers = serversOfSuite,
      args,
    }: WorldOptions = {},
  ): Promise<World> {
    const database = await databaseOfWorld(dataDir, settings);
    const storage = await storageOfWorld(outside, settings);
    const own = { ...database.settings, ...storage.settings, ...settings };
    const isPlain = !own.DATABASE_URL?.startsWith('postgres') && own.JWT_SECRET === undefined;
    const isOwn = workspaceArgs.length > 0 || dataDir !== outside || by !== program;
    const library = isPlain && !isOwn ? await preparedLibrary('JWT_SECRET' in own) : undefined;
    if (library) {
      const media = own.S3_BUCKET ? join(library.dataDir, 'media') : null;
      cpSync(library.dataDir, dataDir, { recursive: true, filter: (path) => path !== media });
      // Without this row, the server creates a new library in the empty bucket.
      if (media !== null) await database.change('delete from library');
    }
    const server = await (args ? startServer(dataDir, own, args, by) : startFleet(servers, dataDir, own, by));
    if (library && !args && (own.LOG_LEVEL ?? 'info') === 'info') await untilFirstCollection(server);
    const world = new World(dataDir, server, args ? 1 : servers, database, storage);
    const { ids, tokens } = library ?? (await createWorkspaces(server.settings, workspaceArgs, by));
    Object.assign(world.ids, ids, { base: `${server.url}/v1`, url: server.url });
    Object.assign(world.tokens, tokens);
    return world;
  }

  /** Opens a world of one process, for tests of what each process has for itself: memory, limits and metrics. */
  static openAlone(settings: Settings = {}): Promise<World> {
    return World.open(settings, [], { servers: 1 });
  }

  /** Opens a world of one process that works on no jobs. */
  static openWithoutWorker(settings: Settings = {}): Promise<World> {
    return World.open(settings, [], { args: ['serve', '--no-worker'] });
  }

  /**
   * Issues a token that calls can use by `name`. A request takes a tenth of the time of a command, but only operators
   * can issue tokens by requests, and only with a lifetime in seconds.
   *
   * @param args further arguments of `token create`
   * @returns the token's id
   */
  async token(name: string, workspace: string, args: readonly string[] = []): Promise<string> {
    if (this.tokens.operator === undefined || args.includes('--expires-in'))
      return this.tokenByCommand(name, workspace, args);
    return this.keepToken(name, await this.requestToken(this.fill(workspace), args));
  }

  /** Like {@link token}, but always by a command, which neither counts as a request nor needs a valid token. */
  async tokenByCommand(name: string, workspace: string, args: readonly string[] = []): Promise<string> {
    const command = ['token', 'create', '--workspace', this.fill(workspace), ...args];
    return this.keepToken(name, await this.command(command));
  }

  private keepToken(name: string, issued: unknown): string {
    this.tokens[name] = stringAt(issued, 'token');
    return stringAt(issued, 'id');
  }

  private async requestToken(first: string, args: readonly string[]): Promise<unknown> {
    const several = { type: 'string', multiple: true } as const;
    const options = { workspace: several, scope: several, name: { type: 'string' } } as const;
    const {
      workspace = [],
      scope = ORDINARY_SCOPES,
      name = 'Acceptance',
    } = parseArgs({ args: [...args], options }).values;
    const json = { name, workspaces: [first, ...workspace], scopes: scope };
    const reply = await this.call('POST /tokens', { token: 'operator', json });
    if (reply.status !== 201) throw new Error(`The token was refused with ${reply.status}: ${reply.text}`);
    return at(reply.json, 'data');
  }

  /** Issues an operator token, for calls with the token `operator`, unless there is one. */
  async operator(): Promise<void> {
    this.tokens.operator ??= await issueOperatorToken(this.server.settings, this.server.program);
  }

  /** Runs a command with `--json` and the server's settings. @returns the object that it prints */
  command(args: readonly string[]): Promise<Record<string, unknown>> {
    return jsonCommand(args, this.server.settings, this.server.program);
  }

  /** Runs a command with the server's settings, as a user would. @returns its output @throws Error if it fails */
  async run(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await command(args, this.server.settings, this.server.program);
    if (code !== 0) throw new Error(`postshelf ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Starts the server again with the same port and data folder. Its old processes must have ended. */
  async restart(): Promise<void> {
    this.server = await startFleet(this.servers, this.dataDir, this.server.settings, this.server.program);
  }

  /** Opens a world with a copy of this library in a different folder or bucket, without starting a server. */
  async copiedTo(dataDir: string, changed: Settings = {}): Promise<World> {
    const PORT = String(await freePort());
    const settings = { ...this.server.settings, ...changed, DATA_DIR: dataDir, PORT };
    const [database, storage] = await Promise.all([
      databaseOfWorld(dataDir, settings),
      storageOfWorld(dataDir, settings),
    ]);
    const server = { ...this.server, url: `http://127.0.0.1:${PORT}`, port: Number(PORT), dataDir, settings };
    const world = new World(dataDir, server, 1, database, storage);
    Object.assign(world.ids, this.ids, { base: `${server.url}/v1`, url: server.url });
    Object.assign(world.tokens, this.tokens);
    return world;
  }

  /** Starts a second server with the same database and data folder. The caller has to end it. */
  startAnother(args?: readonly string[], changed: Settings = {}): Promise<Server> {
    const { PORT: _, ...settings } = this.server.settings;
    return startServer(this.dataDir, { ...settings, ...changed }, args, this.server.program);
  }

  async close(): Promise<void> {
    await this.server.end();
    removeFolder(this.dataDir);
    await this.database.remove();
    await this.storage.remove();
  }

  /** The sorted names of all files in the storage, as {@link WorldStorage.names} returns them. */
  files(): Promise<string[]> {
    return this.storage.names();
  }

  /** Returns the names of deleted items' objects: those in the trash, and those that are due to be purged. */
  awaitingDestruction(): Promise<string[]> {
    const deleted = 'select full_name from deletions where full_name is not null';
    return this.database.column(`${deleted} union all select full_name from trashed_media`);
  }

  /**
   * Returns {@link files} without the uploads that the service will purge when it next changes the library's fence.
   *
   * @param part text that the names must contain
   */
  async keptFiles(part = ''): Promise<string[]> {
    const gone = await this.database.column('select id from deletions where is_upload = 1');
    return (await this.files()).filter(
      (path) => path.includes(part) && !gone.some((id) => path.includes(`.uploads/${id}`)),
    );
  }

  /** Whether the storage contains the object with this `full_name`. */
  async holds(fullName: string): Promise<boolean> {
    return (await this.files()).some((path) => path === fullName || path.endsWith(`/${fullName}`));
  }

  /**
   * Waits until the storage contains the same files as before. The server cleans up some time after a client has
   * disconnected. Staged files of earlier requests may be missing, because the server removes them after it has
   * responded.
   */
  async untilFilesAre(before: readonly string[], deadline = 10_000): Promise<void> {
    const difference = async () => {
      const [files, kept] = [await this.files(), await this.keptFiles()];
      return {
        left: kept.filter((path) => !before.includes(path)),
        missing: before.filter((path) => !files.includes(path) && !path.includes('.staging/')),
      };
    };
    const isNone = async () => Object.values(await difference()).every((paths) => paths.length === 0);
    try {
      await until('no file is left over', isNone, deadline);
    } catch {
      throw new Error(`Files left over or missing: ${JSON.stringify(await difference())}`);
    }
  }

  /** Waits until the server is receiving a file of an upload. @param before the {@link files} before the upload */
  async untilReceiving(before: readonly string[]): Promise<void> {
    await until('the server has begun to receive', async () => {
      // Compares names, not counts, because garbage collection stages a file after the server's start and removes it
      // again.
      if (!this.storage.isBucket) return (await this.files()).some((path) => !before.includes(path));
      const figures = await (await fetch(`${this.server.url}/metrics`)).text();
      return /^postshelf_uploads_running [1-9]/m.test(figures);
    });
  }

  /**
   * Sends `METHOD /path`. By default the path is below `/v1`, and the answer is checked against the OpenAPI document.
   * Neither applies to paths that begin with `/files`, `/previews`, `/trpc`, `/mcp`, `/docs`, `/health`, `/ready`,
   * `/metrics` or `/v1`.
   */
  async call(send: string, options: CallOptions = {}): Promise<Reply> {
    const [method = 'GET', path = '/'] = this.fill(send).split(' ');
    const outside = /^\/(files|previews|trpc|mcp|docs|health|ready|metrics|v1)\b/.test(path);
    const headers = new Headers(this.fill(options.headers ?? {}));
    const token = options.token === undefined ? 'all' : options.token;
    if (token !== null) headers.set('authorization', `Bearer ${this.tokens[token] ?? token}`);
    const init: RequestInit & { keepalive: boolean } = { method, headers, keepalive: false, redirect: 'manual' };
    if (options.json !== undefined) {
      headers.set('content-type', 'application/json');
      init.body = JSON.stringify(this.fill(options.json));
    } else if (options.body !== undefined) {
      init.body = typeof options.body === 'string' ? options.body : new Blob([Buffer.from(options.body)]);
    }
    const base = isFleet(this.server) ? this.server.next() : this.server.url;
    const response = await fetch(`${base}${outside ? '' : '/v1'}${path}`, init);
    const reply = makeReply(response.status, response.headers, await bytesOf(response));
    if (!outside) expectDocumented(method, path, reply);
    return reply;
  }

  /** Sends a multipart upload to the workspace. @returns the answer, whatever its status */
  upload(parts: readonly Part[] | MultipartBody, options: CallOptions = {}): Promise<Reply> {
    const body = 'bytes' in parts ? parts : multipart(parts, boundary);
    return this.call('POST /workspaces/{workspace}/media_contents', {
      ...options,
      headers: { 'content-type': body.contentType, ...options.headers },
      body: body.bytes,
    });
  }

  /** Uploads files that must be accepted. @returns their items, in the same order */
  async store(...parts: readonly Part[]): Promise<MediaItem[]> {
    const reply = await this.upload(parts);
    if (reply.status !== 201) throw new Error(`The upload was refused with ${reply.status}: ${reply.text}`);
    return mediaItems(reply);
  }

  /** Uploads a video, possibly with fields. @returns the item once it has a cover */
  async storeVideo(...parts: readonly Part[]): Promise<MediaItem> {
    return this.covered(await this.storeOne(...parts));
  }

  /**
   * Returns the item of a video once it has a cover. If many videos are uploaded concurrently, the service makes their
   * covers after it has answered the uploads.
   */
  async covered({ id }: Pick<MediaItem, 'id'>): Promise<MediaItem> {
    const show = async () => oneMediaItem(await this.call(`GET /media_contents/${id}`));
    await until(`the video ${id} has a cover`, async () => (await show()).thumbnail !== null, 60_000);
    return show();
  }

  /** Uploads one file that must be accepted. @returns its item */
  async storeOne(...parts: readonly Part[]): Promise<MediaItem> {
    const [item] = await this.store(...parts);
    if (item === undefined) throw new Error('The upload gave no item.');
    return item;
  }

  /** Creates a folder. @returns its id */
  async folder(name: string, parent: string | null = null): Promise<string> {
    const reply = await this.call('POST /workspaces/{workspace}/media_library/folders', {
      json: { name, parent_id: parent },
    });
    if (reply.status !== 201) throw new Error(`The folder was refused with ${reply.status}: ${reply.text}`);
    return stringAt(reply.json, 'data', 'id');
  }

  /** Replaces each `{key}` in the strings of `value` with its value in {@link ids}. */
  fill<T>(value: T): T;
  fill(value: unknown): unknown {
    if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (whole, key) => this.ids[key] ?? whole);
    if (Array.isArray(value)) return value.map((entry) => this.fill(entry));
    if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, this.fill(entry)]));
    }
    return value;
  }
}
