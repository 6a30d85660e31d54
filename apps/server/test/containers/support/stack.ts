import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY, within } from '@postshelf/harness';
import { makeReply, type Reply, stringAt } from '../../acceptance/support/reply.ts';
import { type CommandResult, collect, freePort, removeFolder, scratchFolder } from '../../acceptance/support/server.ts';

/**
 * The images that `npm run test:containers` has built: one from the Dockerfile, and one from an already built program.
 */
export const IMAGES = {
  built: process.env.POSTSHELF_TEST_BUILT ?? '',
  released: process.env.POSTSHELF_TEST_RELEASED ?? '',
};

/** Whether `npm run test:containers` runs the tests. */
export const inContainers = process.env.POSTSHELF_TEST_CONTAINERS === '1';

/**
 * Milliseconds that a docker command may take. The limit is high, because nothing here shows whether the command makes
 * progress.
 */
const PATIENCE = 600_000;

const certificate = { tls: { rejectUnauthorized: false }, redirect: 'manual' } as const;

/** The files for a command's standard input and output. */
interface Pipes {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Runs `docker`. @throws Error with its output if it fails */
export async function docker(args: readonly string[], cwd?: string, { from, to }: Pipes = {}): Promise<string> {
  const { code, stdout, stderr } = await tryDocker(args, cwd, { from, to });
  if (code !== 0) throw new Error(`docker ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** Runs `docker`. @returns its result, even if it fails */
export function tryDocker(args: readonly string[], cwd?: string, { from, to }: Pipes = {}): Promise<CommandResult> {
  const pipes = `${from === undefined ? '' : ` <"${from}"`}${to === undefined ? '' : ` >"${to}"`}`;
  const command = ['bash', '-c', `exec docker "$@"${pipes}`, 'docker', ...args];
  return within(`docker ${args.join(' ')}`, collect(command, { ...(cwd && { cwd }), env: process.env }), PATIENCE);
}

/** Returns what `docker inspect` prints about a container or an image. */
export async function inspect(name: string): Promise<unknown> {
  const [found]: unknown[] = JSON.parse(await docker(['inspect', name]));
  return found;
}

/**
 * Runs a profile of docs/deploy/compose.yaml in a copy of its folder. Only Caddy is reachable, at a free loopback port
 * instead of ports 80 and 443 of all addresses.
 */
export class Stack {
  token = '';

  private constructor(
    readonly folder: string,
    readonly profile: 'one' | 'many',
    readonly origin: string,
    private readonly project: string,
  ) {}

  /** Starts the stack, and waits until every container is healthy. */
  static async start(profile: 'one' | 'many', image: string): Promise<Stack> {
    const parent = scratchFolder();
    const folder = join(parent, 'deploy');
    cpSync(join(REPOSITORY, 'docs/deploy'), folder, { recursive: true });
    const port = await freePort();
    const origin = `https://localhost:${port}`;
    writeFileSync(join(folder, 'compose.override.yaml'), profile === 'one' ? one(port) : many(port));
    const stack = new Stack(folder, profile, origin, `postshelf-test-${crypto.randomUUID().slice(0, 8)}`);
    stack.use(image);
    if (profile === 'many') await stack.makeSecrets();
    await stack.up();
    return stack;
  }

  /** Writes the settings, with the image to start. */
  use(image: string): void {
    const settings = { COMPOSE_PROFILES: this.profile, PUBLIC_HOST: 'localhost', POSTSHELF_IMAGE: image };
    const lines = Object.entries({ ...settings, COMPOSE_PROJECT_NAME: this.project }).map((pair) => pair.join('='));
    writeFileSync(join(this.folder, '.env'), `${lines.join('\n')}\n`);
  }

  compose(...args: readonly string[]): Promise<string> {
    return docker(['compose', ...args], this.folder);
  }

  up(): Promise<string> {
    return this.compose('up', '--detach', '--no-build', '--wait', '--quiet-pull');
  }

  /** Runs the program in a service's container, with files as its standard input or output. */
  postshelf(service: string, args: readonly string[], pipes: Pipes = {}): Promise<string> {
    return docker(['compose', 'exec', '-T', service, 'postshelf', ...args], this.folder, pipes);
  }

  /** Runs a `bash` script in a service's container. @returns its result, even if it fails */
  shell(service: string, script: string): Promise<CommandResult> {
    return tryDocker(['compose', 'exec', '-T', service, 'bash', '-c', script], this.folder);
  }

  async containerOf(service: string): Promise<string> {
    return (await this.compose('ps', '--all', '--quiet', service)).trim();
  }

  /** Makes a workspace, and a token for later calls, as docs/deploy.md does. @returns the workspace's id */
  async makeWorkspace(service: string): Promise<string> {
    const made = await this.postshelf(service, ['workspace', 'create', '--name', 'Containers', '--json']);
    const workspace = stringAt(JSON.parse(made), 'id');
    const issued = await this.postshelf(service, ['token', 'create', '--workspace', workspace, '--json']);
    this.token = stringAt(JSON.parse(issued), 'token');
    return workspace;
  }

  /** Sends a request through Caddy. @param path below `/v1/`, or a complete URL */
  async call(path: string, init: RequestInit = {}): Promise<Reply> {
    const url = path.startsWith('https:') ? path : `${this.origin}/v1/${path}`;
    const headers = { authorization: `Bearer ${this.token}`, ...init.headers };
    const isOurs = url.startsWith(`${this.origin}/v1/`);
    const answer = await fetch(url, { ...init, ...certificate, ...(isOurs && { headers }), keepalive: false });
    return makeReply(answer.status, answer.headers, new Uint8Array(await answer.arrayBuffer()));
  }

  /** Stops the containers of the stack, and removes them with its volumes and files. */
  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--timeout', '5');
    removeFolder(join(this.folder, '..'));
  }

  /** Creates the files with secrets that docs/deploy.md describes. */
  private async makeSecrets(): Promise<void> {
    const secrets = join(this.folder, 'secrets');
    mkdirSync(secrets, { mode: 0o700 });
    const random = () => crypto.randomUUID().replaceAll('-', '');
    const password = random();
    const contents = {
      database_password: password,
      database_url: `postgres://postshelf:${password}@database/postshelf`,
      s3_secret_access_key: random(),
      jwt_secret: random() + random(),
    };
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(secrets, name), `${content}\n`);
  }
}

const one = (port: number): string => `services:
  postshelf: { environment: { PUBLIC_URL: "https://localhost:${port}" } }
  caddy: { ports: !override ["127.0.0.1:${port}:443"] }
`;

/**
 * The overrides for the profile "many". They use Ceph's gateway instead of SeaweedFS if `POSTSHELF_TEST_S3_IMAGE` names
 * its image.
 */
function many(port: number): string {
  const origin = `https://localhost:${port}`;
  const settings = `{ environment: { PUBLIC_URL: "${origin}", S3_CLIENT_ENDPOINT: "${origin}" } }`;
  const image = process.env.POSTSHELF_TEST_S3_IMAGE;
  const gateway = `  storage:
    image: ${image}
    entrypoint: !override
      - /bin/bash
      - -c
      - KEY_ID=postshelf KEY=$$(cat /run/secrets/s3_secret_access_key) /radosgw/start.sh /store && exec sleep infinity
    environment: { OBJECT_BYTES: "268435456" }
    healthcheck: { test: !override [CMD, curl, -fsSo, /dev/null, "http://127.0.0.1:8333/"] }
`;
  return `services:
  server-1: ${settings}
  server-2: ${settings}
  worker: ${settings}
  bucket: ${settings}
  balancer: { ports: !override ["127.0.0.1:${port}:443"] }
${image ? gateway : ''}`;
}
