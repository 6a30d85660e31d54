import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { World } from '../support/world.ts';
import { raw, redirect, serve } from './support/answers.ts';
import { selfSigned } from './support/certificates.ts';
import { accepted, expectActive, expectFailed, importUrl, loopback, settled, stored } from './support/imports.ts';
import { Origin } from './support/origin.ts';

setDefaultTimeout(60_000);

const folder = scratchFolder();
let world: World;
let trusted: Origin;
let stranger: Origin;
let plain: Origin;

beforeAll(async () => {
  const good = selfSigned(folder, 'good', 'DNS:localhost');
  [trusted, stranger, plain] = await Promise.all([
    Origin.open({ tls: good }),
    Origin.open({ tls: selfSigned(folder, 'stranger', 'DNS:localhost,IP:127.0.0.1') }),
    Origin.open(),
  ]);
  const IMPORT_ALLOWED_NETWORKS = '127.0.0.1/32,::1/128';
  world = await World.open({ ...loopback, IMPORT_ALLOWED_NETWORKS, NODE_EXTRA_CA_CERTS: good.certPath });
});

afterAll(async () => {
  for (const origin of [trusted, stranger, plain]) origin.close();
  await world.close();
  removeFolder(folder);
});

describe('The certificate is verified for the name', () => {
  test.concurrent('a certificate that is trusted, for the name: stored, a video too', async () => {
    const image = trusted.page('beach.jpg', serve(fixtures.jpeg()));
    const film = trusted.page('film.mp4', serve(fixtures.mp4()));
    await expectActive(world, stored(await importUrl(world, trusted.base('localhost') + image.path)), fixtures.jpeg());
    const item = accepted(await importUrl(world, trusted.base('localhost') + film.path));
    await expectActive(world, await settled(world, item), fixtures.mp4());
    expect([...image.requests, ...film.requests]).toHaveLength(2);
  });

  const rows: readonly [string, () => string][] = [
    ['a certificate of nobody', () => stranger.base('localhost')],
    ['a certificate of nobody, by address', () => stranger.base('127.0.0.1')],
    ['a certificate that is trusted, for another name', () => trusted.base('127.0.0.1')],
  ];
  for (const [name, base] of rows) {
    test.concurrent(`${name}: failed, in words, and no request is sent`, async () => {
      const pages = [trusted, stranger].map((origin) => origin.page('beach.jpg', serve(fixtures.jpeg())));
      for (const { path } of pages) {
        const item = accepted(await importUrl(world, base() + path));
        await expectFailed(world, await settled(world, item));
      }
      for (const { requests } of pages) expect(requests).toEqual([]);
    });
  }

  test.concurrent('likewise where a redirect leads there', async () => {
    const end = stranger.page('beach.jpg', serve(fixtures.jpeg()));
    const hop = plain.page('hop.jpg', redirect(end.url));
    await expectFailed(world, await settled(world, accepted(await importUrl(world, hop.url))));
    expect(end.requests).toEqual([]);
  });

  test.concurrent('a redirect from https to http and back is followed', async () => {
    const end = trusted.page('beach.jpg', serve(fixtures.jpeg()));
    const middle = plain.page('middle.jpg', redirect(trusted.base('localhost') + end.path));
    const first = trusted.page('first.jpg', redirect(middle.url));
    stored(await importUrl(world, trusted.base('localhost') + first.path));
  });

  test.concurrent('TLS where there is none', async () => {
    const echo = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') },
    });
    const item = accepted(await importUrl(world, `https://127.0.0.1:${echo.port}/beach.jpg`));
    await expectFailed(world, await settled(world, item));
    echo.stop(true);
  });

  test.concurrent('no TLS where there is one', async () => {
    const page = trusted.page('beach.jpg', raw('unreachable'));
    const item = accepted(await importUrl(world, trusted.base('localhost').replace('https', 'http') + page.path));
    await expectFailed(world, await settled(world, item));
    expect(page.requests).toEqual([]);
  });
});
