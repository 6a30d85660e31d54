// These tests check docs/deploy/compose.yaml without a container engine. They run its commands as processes with its
// settings, and replace only the addresses of containers and the paths of secrets.
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command, makeWorkspace, type Running, spawnProcess, startProcess, until } from '@postshelf/harness';
import { hasPrograms } from '@postshelf/testing/programs';
import { makeDatabase, type RealPostgres, realPostgres } from '@postshelf/testing/servers/postgres';
import { clientOf, emptyBucket, type RealS3, realS3 } from '@postshelf/testing/servers/s3';
import { readIssued } from '../presign/support/uploads.ts';
import { jpeg } from '../support/fixtures.ts';
import { program } from '../support/program.ts';
import { at, makeReply, type Reply } from '../support/reply.ts';
import { collect, freePort, removeFolder, scratchFolder } from '../support/server.ts';
import { mediaItems, oneMediaItem } from '../support/shapes.ts';

const DOCS = resolve(import.meta.dir, '../../../../../docs/deploy');
const skipped = 'docs/deploy/compose.yaml';
const [postgres, s3] = [await realPostgres(skipped), await realS3(skipped)];
const canRun = hasPrograms(['caddy', 'curl'], skipped) && postgres !== null && s3 !== null;

const URLS = /https:\/\/\$\{PUBLIC_HOST:-localhost\}/g;
const HOSTS = /\$\{PUBLIC_HOST:-localhost\}/g;
const BUCKET = 'postshelf-media';
const anyCertificate = { tls: { rejectUnauthorized: false }, redirect: 'manual' } as const;

interface Service {
  readonly image: string;
  readonly build?: unknown;
  readonly profiles: readonly string[];
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly healthcheck?: unknown;
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly networks: readonly string[];
}

const ONE = ['postshelf', 'caddy'] as const;
const MANY = ['server-1', 'server-2', 'worker', 'balancer', 'database', 'storage', 'bucket'] as const;
type Name = (typeof ONE)[number] | (typeof MANY)[number];

/** The services of the file, with replacements for texts that work only in containers or on the containers' network. */
function services(replacements: readonly (readonly [string | RegExp, string])[] = []) {
  const text = readFileSync(join(DOCS, 'compose.yaml'), 'utf8');
  const file = Bun.YAML.parse(replacements.reduce((read, [from, to]) => read.replaceAll(from, () => to), text));
  return (file as { services: Record<Name, Service> }).services;
}

describe('docs/deploy/compose.yaml', () => {
  const all = Object.entries(services());
  const namesOf = (profile: string) =>
    all.filter(([, { profiles }]) => profiles.includes(profile)).map(([name]) => name);

  test('starts one service behind Caddy by default, and several with the profile "many"', () => {
    expect(readFileSync(join(DOCS, '.env'), 'utf8')).toContain('\nCOMPOSE_PROFILES=one\n');
    expect(namesOf('one')).toEqual([...ONE]);
    expect(namesOf('many')).toEqual([...MANY]);
  });

  test.each(all)('gives %s limits and a health check, and exposes none of its ports or secrets', (name, service) => {
    expect([typeof service.mem_limit, typeof service.pids_limit]).toEqual(['string', 'number']);
    // The services that are built from our Dockerfile have their health check in the Dockerfile.
    expect(service.build !== undefined || service.healthcheck !== undefined).toBe(true);
    expect(service.ports ?? []).toEqual(service.image.startsWith('caddy:') ? ['80:80', '443:443'] : []);
    const secrets = Object.keys(service.environment).filter((key) => /PASSWORD|SECRET|DATABASE_URL/.test(key));
    expect(secrets.filter((key) => !key.endsWith('_FILE'))).toEqual([]);
    if (['database', 'storage', 'bucket'].includes(name)) expect(service.networks).toEqual(['back']);
  });

  const compose = [['docker', 'compose'], ['docker-compose']].find(
    (command) => Bun.which(command[0] ?? '') && Bun.spawnSync([...command, 'version'], { stderr: 'ignore' }).success,
  );
  test.skipIf(!compose && !hasPrograms(['docker-compose'], `${skipped} by docker compose config`))(
    'is valid for Docker Compose',
    async () => {
      const { code, stdout, stderr } = await collect(
        [...(compose ?? []), '-f', join(DOCS, 'compose.yaml'), '--profile', 'one', '--profile', 'many', 'config'],
        { env: { PATH: process.env.PATH, HOME: '/nowhere', PUBLIC_HOST: 'media.example.com' } },
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const name of [...ONE, ...MANY]) expect(stdout).toContain(`\n  ${name}:\n`);
      expect(stdout).toContain('PUBLIC_URL: https://media.example.com');
    },
  );
});

describe.skipIf(!canRun)('the processes of docs/deploy/compose.yaml', () => {
  const folder = scratchFolder();
  const running: Running[] = [];
  const cleanUps: (() => Promise<unknown> | unknown)[] = [() => removeFolder(folder)];
  afterAll(async () => {
    await Promise.all(running.map((process) => process.end('SIGKILL')));
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  async function start(service: Service, port: number, more: Readonly<Record<string, string>> = {}): Promise<Running> {
    const started = await startProcess([...program.command, ...(service.command ?? [])], {
      cwd: program.cwd,
      env: { ...program.environment, HOST: '127.0.0.1', PORT: String(port), ...service.environment, ...more },
      probe: `http://127.0.0.1:${port}/health`,
    });
    running.push(started);
    return started;
  }

  /**
   * Starts Caddy with the files that its container gets, but on a different port and with a new certificate. Requests
   * wait longer for a server that restarts, because a start takes more than five seconds on a busy machine.
   */
  async function startCaddy({ environment }: Service, port: number, bucket?: string): Promise<void> {
    const own = join(folder, `caddy-${port}`);
    mkdirSync(own);
    const file = (name: string, ...replacements: readonly (readonly [string, string])[]) => {
      const text = readFileSync(join(DOCS, name), 'utf8');
      writeFileSync(
        join(own, name),
        replacements.reduce((read, [from, to]) => read.replaceAll(from, () => to), text),
      );
    };
    const plain = await freePort();
    const ports = `http_port ${plain}\n\thttps_port ${port}`;
    file(
      'Caddyfile',
      ['\tservers {', `\tadmin off\n\tskip_install_trust\n\t${ports}\n\tservers {`],
      ['lb_try_duration 5s', 'lb_try_duration 120s'],
    );
    if (bucket !== undefined) file('bucket.caddy', [BUCKET, bucket]);
    const caddy = spawnProcess(['caddy', 'run', '--config', join(own, 'Caddyfile'), '--adapter', 'caddyfile'], {
      env: { PATH: process.env.PATH, HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own, ...environment },
    });
    cleanUps.push(() => {
      caddy.child.kill();
      caddy.forget();
    });
    await until('Caddy answers', async () => {
      if (caddy.child.exitCode !== null) throw new Error(caddy.stderr());
      const answer = await fetch(`https://localhost:${port}/v1/openapi.json`, anyCertificate).catch(() => null);
      return answer?.ok === true;
    });
  }

  async function call(url: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(url, { ...init, ...anyCertificate });
    return makeReply(response.status, response.headers, new Uint8Array(await response.arrayBuffer()));
  }

  test('serve files from one service behind Caddy, even during its restart', async () => {
    const [port, upstream] = [await freePort(), await freePort()];
    const { postshelf, caddy } = services([
      [URLS, `https://localhost:${port}`],
      [HOSTS, 'localhost'],
      ['postshelf:3000', `127.0.0.1:${upstream}`],
    ]);
    const own = { DATA_DIR: join(folder, 'one') };
    const first = await start(postshelf, upstream, own);
    const [{ workspace, token }] = await Promise.all([
      makeWorkspace({ ...postshelf.environment, ...own }, { name: 'Compose' }),
      startCaddy(caddy, port),
    ]);
    const body = new FormData();
    body.append('files[]', new Blob([Buffer.from(jpeg())]), 'a.jpg');
    const headers = { Authorization: `Bearer ${token}` };
    const at = `https://localhost:${port}/v1/workspaces/${workspace}/media_contents`;
    const [item] = mediaItems(await call(at, { method: 'POST', headers, body }));
    await first.end();
    const waiting = call(item?.link ?? '');
    await start(postshelf, upstream, own);
    expect((await waiting).bytes).toEqual(jpeg());
  });

  test('serve files from two servers and a worker behind Caddy, even with one server down', async () => {
    const store = s3 as RealS3;
    const database = await makeDatabase(postgres as RealPostgres);
    const bucket = `compose-${crypto.randomUUID()}`;
    const client = clientOf(store);
    cleanUps.push(database.remove, () => emptyBucket(client, bucket).finally(() => client.destroy()));
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets);
    const { accessKeyId, secretAccessKey } = store.credentials;
    const contents = { database_url: database.url, s3_secret_access_key: secretAccessKey, jwt_secret: 's'.repeat(64) };
    for (const [name, content] of Object.entries(contents)) writeFileSync(join(secrets, name), `${content}\n`);

    const ports = await Promise.all(Array.from({ length: 4 }, freePort));
    const [port = 0, one = 0, two = 0, three = 0] = ports;
    const many = services([
      [URLS, `https://localhost:${port}`],
      [HOSTS, 'localhost'],
      ['/run/secrets', secrets],
      ['http://storage:8333', store.endpoint],
      ['storage:8333', new URL(store.endpoint).host],
      ['S3_ACCESS_KEY_ID: postshelf', `S3_ACCESS_KEY_ID: ${accessKeyId}`],
      ['server-1:3000', `127.0.0.1:${one}`],
      ['server-2:3000', `127.0.0.1:${two}`],
      ['WORKER_PORT: "3000"', `WORKER_PORT: "${three}"`],
      [BUCKET, bucket],
    ]);
    expect(await command(many.bucket.command ?? [], many.bucket.environment)).toMatchObject({ code: 0, stderr: '' });

    const dataDir = (name: string) => ({ DATA_DIR: join(folder, name) });
    const settings = { ...many['server-1'].environment, ...dataDir('one-of-many') };
    const [first] = await Promise.all([
      start(many['server-1'], one, dataDir('one-of-many')),
      start(many['server-2'], two, dataDir('two-of-many')),
      start(many.worker, three, dataDir('three-of-many')),
    ]);
    const [{ workspace, token }] = await Promise.all([
      makeWorkspace(settings, { name: 'Compose' }),
      startCaddy(many.balancer, port, bucket),
    ]);
    const api = `https://localhost:${port}/v1/workspaces/${workspace}/media_contents`;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const files = [{ name: 'a.jpg', size: jpeg().length, mime: 'image/jpeg' }];
    const issued = await call(`${api}/presign`, { method: 'POST', headers, body: JSON.stringify({ files }) });
    const { id, url, headers: signed, link } = readIssued(at(issued.json, 'data', 0));
    expect(url).toStartWith(`https://localhost:${port}/${bucket}/`);
    expect(await call(url, { method: 'PUT', headers: signed, body: Buffer.from(jpeg()) })).toMatchObject({
      status: 200,
    });
    // Any server can confirm the upload. Below, one server is killed, and the other one still answers.
    const confirmed = await call(`https://localhost:${port}/v1/media_contents/${id}/confirm`, {
      method: 'POST',
      headers,
    });
    expect(oneMediaItem(confirmed)).toMatchObject({ status: 'active' });
    await first.end('SIGKILL');
    for (let time = 0; time < 3; time += 1) {
      const served = await call(link);
      expect(served.status).toBe(200);
      expect(served.bytes).toEqual(jpeg());
      expect(served.headers.get('content-security-policy')).toMatch(/^default-src 'none';.* sandbox/);
    }
    expect((await call(`https://localhost:${port}/${bucket}/`)).status).toBe(403);
  });
});
