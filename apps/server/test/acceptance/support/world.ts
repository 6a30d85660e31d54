import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { issueTokens, preparedLibrary } from './beginning.ts';
import { holdToDocument } from './contract.ts';
import { databaseOfWorld, type WorldDatabase } from './database.ts';
import { isFleet, serversOfSuite, startFleet } from './fleet.ts';
import { boundary, type MultipartBody, multipart, type Part } from './multipart.ts';
import { type Program, program } from './program.ts';
import { makeReply, type Reply, stringAt } from './reply.ts';
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
import { until } from './until.ts';

export interface CallOptions {
  /** The name of a token in {@link World.tokens} or a token itself; `null` sends none. Default `all`. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `application/json`. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
}

/** Where a world is put, if not in a new scratch folder, and how its processes are started, if not as they come. */
export interface Place {
  readonly dataDir?: string;
  /** The data folder as tests find it, where it is mounted for the processes alone. */
  readonly outside?: string;
  readonly program?: Program;
  /** Processes that serve it; default {@link serversOfSuite}. */
  readonly servers?: number;
}

/**
 * Waits until a server that has just started has collected garbage, so that no test takes that for what it has caused
 * itself; two seconds at most, since not every log tells of it.
 */
async function firstCollection(server: Server): Promise<void> {
  const end = performance.now() + 2000;
  while (performance.now() < end && !server.log().includes('garbage collected')) await Bun.sleep(10);
}

/**
 * A started server with one workspace, a token for it, and a second workspace that the token may not enter. The suite's
 * switches say over which database and storage, and of how many processes; a world's own settings go before them.
 */
export class World {
  /** What `{key}` stands for in paths, bodies and expectations of rows. */
  readonly ids: Record<string, string> = {};
  readonly tokens: Record<string, string> = {};

  private constructor(
    readonly dataDir: string,
    public server: Server,
    private readonly servers: number,
    readonly database: WorldDatabase,
    readonly storage: WorldStorage,
  ) {}

  /** Serves the workspaces `{workspace}` and `{foreign}`, for which there are the tokens `all` and `foreign`. */
  static async open(
    settings: Settings = {},
    workspaceArgs: readonly string[] = [],
    { dataDir = scratchFolder(), outside = dataDir, program: by = program, servers = serversOfSuite }: Place = {},
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
      // In a bucket it is a library of its own, which the server founds.
      if (media !== null) await database.change('delete from library');
    }
    const server = await startFleet(servers, dataDir, own, by);
    if (library && (own.LOG_LEVEL ?? 'info') === 'info') await firstCollection(server);
    const world = new World(dataDir, server, servers, database, storage);
    const { ids, tokens } = library ?? (await issueTokens(server.settings, workspaceArgs, by));
    Object.assign(world.ids, ids, { base: `${server.url}/v1`, url: server.url });
    Object.assign(world.tokens, tokens);
    return world;
  }

  /** A world of one process, for what each process counts by itself: its memory, its limits, its figures. */
  static openAlone(settings: Settings = {}): Promise<World> {
    return World.open(settings, [], { servers: 1 });
  }

  /** Issues a token under a name for rows to use, and gives its id. */
  async token(name: string, workspace: string, args: readonly string[] = []): Promise<string> {
    const issued = await this.command(['token', 'create', '--workspace', this.fill(workspace), ...args]);
    this.tokens[name] = stringAt(issued, 'token');
    return stringAt(issued, 'id');
  }

  /** Runs a command with `--json` over the same DATA_DIR. */
  command(args: readonly string[]): Promise<Record<string, unknown>> {
    return jsonCommand(args, this.server.settings, this.server.program);
  }

  /** Runs a command over the same DATA_DIR as a person would, and fails when it fails. */
  async run(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await command(args, this.server.settings, this.server.program);
    if (code !== 0) throw new Error(`postshelf ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  /** Starts what serves anew, on the same port and folder; the old processes must be gone. */
  async restart(): Promise<void> {
    this.server = await startFleet(this.servers, this.dataDir, this.server.settings, this.server.program);
  }

  /** The same workspaces and tokens in another folder or bucket, to which the library was copied; nothing serves it yet. */
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

  /** Starts a second server over the same database and folder; whoever asks for it ends it. */
  startAnother(args?: readonly string[]): Promise<Server> {
    const { PORT: _, ...settings } = this.server.settings;
    return startServer(this.dataDir, settings, args, this.server.program);
  }

  async close(): Promise<void> {
    await this.server.end();
    removeFolder(this.dataDir);
    await this.database.remove();
    await this.storage.remove();
  }

  /** Names of all files that the storage holds but for its mark and its trash, sorted; what is on its way too. */
  files(): Promise<string[]> {
    return this.storage.names();
  }

  /** Whether the object of that `full_name` is in the storage. */
  async holds(fullName: string): Promise<boolean> {
    return (await this.files()).some((path) => path === fullName || path.endsWith(`/${fullName}`));
  }

  /**
   * Waits until the storage holds what it held before: a request whose client hung up is cleaned up in its own time. Staged names of
   * earlier requests may have gone meanwhile, as they are removed behind the answer.
   */
  async untilFilesAre(before: readonly string[], deadline = 10_000): Promise<void> {
    const difference = async () => {
      const files = await this.files();
      return {
        left: files.filter((path) => !before.includes(path)),
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

  /** Waits until a file of an upload is being received, beside what the storage held before. */
  async untilReceiving(before: readonly string[]): Promise<void> {
    await until('the server has begun to receive', async () => {
      // Others go meanwhile: garbage collection writes its mark when the server starts.
      if (!this.storage.isBucket) return (await this.files()).some((path) => !before.includes(path));
      const figures = await (await fetch(`${this.server.url}/metrics`)).text();
      return /^postshelf_uploads_running [1-9]/m.test(figures);
    });
  }

  /**
   * Sends `METHOD /path`; a path beginning with `/files`, `/previews`, `/trpc`, `/docs` or that of a probe is outside `/v1`. Whatever
   * is inside is held to the OpenAPI document.
   */
  async call(send: string, options: CallOptions = {}): Promise<Reply> {
    const [method = 'GET', path = '/'] = this.fill(send).split(' ');
    const outside = /^\/(files|previews|trpc|docs|health|ready|metrics|v1)\b/.test(path);
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
    const reply = makeReply(response.status, response.headers, new Uint8Array(await response.arrayBuffer()));
    if (!outside) holdToDocument(method, path, reply);
    return reply;
  }

  /** Sends a multipart upload to the workspace and gives whatever the server answers. */
  upload(parts: readonly Part[] | MultipartBody, options: CallOptions = {}): Promise<Reply> {
    const body = 'bytes' in parts ? parts : multipart(parts, boundary);
    return this.call('POST /workspaces/{workspace}/media_contents', {
      ...options,
      headers: { 'content-type': body.contentType, ...options.headers },
      body: body.bytes,
    });
  }

  /** Uploads what must be taken, and gives the items in the order of the files. */
  async store(...parts: readonly Part[]): Promise<MediaItem[]> {
    const reply = await this.upload(parts);
    if (reply.status !== 201) throw new Error(`The upload was refused with ${reply.status}: ${reply.text}`);
    return mediaItems(reply);
  }

  /** Uploads a video, beside fields, and gives its item with its cover. */
  async storeFilm(...parts: readonly Part[]): Promise<MediaItem> {
    return this.covered(await this.storeOne(...parts));
  }

  /** The video once it has its cover, which follows behind where many are wanted at once. */
  async covered({ id }: Pick<MediaItem, 'id'>): Promise<MediaItem> {
    const show = async () => oneMediaItem(await this.call(`GET /media_contents/${id}`));
    await until(`the video ${id} has a cover`, async () => (await show()).thumbnail !== null, 60_000);
    return show();
  }

  /** Uploads one file and gives its item. */
  async storeOne(...parts: readonly Part[]): Promise<MediaItem> {
    const [item] = await this.store(...parts);
    if (item === undefined) throw new Error('The upload gave no item.');
    return item;
  }

  /** Creates a folder and gives its id. */
  async folder(name: string, parent: string | null = null): Promise<string> {
    const reply = await this.call('POST /workspaces/{workspace}/media_library/folders', {
      json: { name, parent_id: parent },
    });
    if (reply.status !== 201) throw new Error(`The folder was refused with ${reply.status}: ${reply.text}`);
    return stringAt(reply.json, 'data', 'id');
  }

  /** Puts {@link ids} in place of `{key}` in every string of a value. */
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
