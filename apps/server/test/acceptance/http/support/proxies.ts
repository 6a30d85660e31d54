import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { removeFolder, scratchFolder } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const DOCS = resolve(import.meta.dir, '../../../../../../docs/deploy');

/** The ports on which a proxy listens, its upstream, and its certificate. */
export interface Place {
  readonly port: number;
  /** The port without TLS, which redirects to {@link port}. */
  readonly plain: number;
  readonly upstream: number;
  readonly certificate: string;
  readonly key: string;
}

/** A proxy with the configuration of docs/deploy.md, except for the addresses. */
export interface RunningProxy {
  /** The number of bytes in the proxy's temporary files. */
  buffered(): number;
  end(): Promise<void>;
}

interface Kind<P extends Pick<Place, 'port'> = Place> {
  readonly name: string;
  /** Writes the documented configuration, adapted to these ports, to the folder. @returns the command that starts it */
  prepare(folder: string, place: P): readonly string[];
}

/** Replaces several texts, each of which has to occur exactly once. */
function replaced(text: string, pairs: readonly (readonly [string, string])[]): string {
  for (const [from] of pairs)
    if (text.split(from).length !== 2) throw new Error(`Not once in the configuration: ${from}`);
  return pairs.reduce((changed, [from, to]) => changed.replace(from, () => to), text);
}

const nginx: Kind = {
  name: 'nginx',
  prepare(folder, { port, plain, upstream, certificate, key }) {
    const site = replaced(readFileSync(join(DOCS, 'nginx.conf'), 'utf8'), [
      ['127.0.0.1:3000', `127.0.0.1:${upstream}`],
      ['listen 80;', `listen 127.0.0.1:${plain};`],
      ['listen [::]:80;', `listen [::1]:${plain};`],
      ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`],
      ['listen [::]:443 ssl;', `listen [::1]:${port} ssl;`],
      ['/etc/ssl/media.example.com.pem', certificate],
      ['/etc/ssl/media.example.com.key', key],
    ]);
    return nginxWith(folder, site);
  },
};

/**
 * A site of nginx that limits the size of request bodies, and otherwise uses nginx's defaults. By default, nginx
 * buffers a request's body on disk until the body is complete.
 */
export const limitedNginx: Kind<Pick<Place, 'port' | 'upstream'> & { readonly megabytes: number }> = {
  name: 'nginx',
  prepare: (folder, { port, upstream, megabytes }) =>
    nginxWith(
      folder,
      `server {
        listen 127.0.0.1:${port};
        client_max_body_size ${megabytes}m;
        location / { proxy_pass http://127.0.0.1:${upstream}; proxy_set_header Host $http_host; }
      }`,
    ),
};

function nginxWith(folder: string, site: string): readonly string[] {
  writeFileSync(join(folder, 'site.conf'), site);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/temporary/${kind};`).join('\n');
  const http = `http {\naccess_log off;\n${temporary}\ninclude ${folder}/site.conf;\n}`;
  mkdirSync(join(folder, 'temporary'));
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user}\ndaemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\n${http}\n`,
  );
  return ['nginx', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')];
}

const caddy: Kind = {
  name: 'caddy',
  prepare(folder, { port, plain, upstream, certificate, key }) {
    const config = replaced(readFileSync(join(DOCS, 'Caddyfile'), 'utf8'), [
      ['127.0.0.1:3000', `127.0.0.1:${upstream}`],
      ['lb_try_duration 5s', 'lb_try_duration 100ms'],
      ['\n{$PUBLIC_HOST:media.example.com} {', `\n127.0.0.1 {\n\ttls ${certificate} ${key}`],
      [
        '{\n\tservers',
        // Unlike the documented configuration, this one binds addresses. Caddy then redirects HTTP requests only on the
        // last address, [::1].
        `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${port}\n\tdefault_bind 127.0.0.1 [::1]\n\tdefault_sni 127.0.0.1\n\tservers`,
      ],
    ]);
    writeFileSync(join(folder, 'Caddyfile'), config);
    mkdirSync(join(folder, 'temporary'));
    return ['caddy', 'run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
  },
};

/** The proxies that docs/deploy.md describes. */
export const proxies = [nginx, caddy];

/** Whether a proxy is installed on this machine. */
export const isInstalled = ({ name }: Pick<Kind, 'name'>): boolean =>
  hasPrograms([name, 'curl'], `the configuration of ${name}`);

/** Starts a proxy and waits until it accepts connections. */
export async function startProxy<P extends Pick<Place, 'port'>>(
  { name, prepare }: Kind<P>,
  place: P,
): Promise<RunningProxy> {
  const folder = scratchFolder();
  const log = join(folder, 'log');
  const temporary = join(folder, 'temporary');
  const child = Bun.spawn([...prepare(folder, place)], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: temporary },
    stdio: ['ignore', Bun.file(log), Bun.file(log)],
  });
  const end = async (): Promise<void> => {
    child.kill();
    await child.exited;
    removeFolder(folder);
  };
  try {
    await until(`${name} listens`, () => {
      if (child.exitCode !== null) throw new Error(`${name} ended while it started:\n${readFileSync(log, 'utf8')}`);
      return listens(place.port);
    });
  } catch (error) {
    await end();
    throw error;
  }
  return {
    end,
    buffered: () => Number(Bun.spawnSync(['du', '-sb', '--apparent-size', temporary]).stdout.toString().split('\t')[0]),
  };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
