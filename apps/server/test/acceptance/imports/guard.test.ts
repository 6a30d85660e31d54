import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { expectInvalid } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { inTurn, redirect, serve, status } from './support/answers.ts';
import {
  accepted,
  expectActive,
  expectFailed,
  expectReadableSentence,
  expectRefused,
  importUrl,
  itemCount,
  leftovers,
  loopback,
  settled,
  stored,
} from './support/imports.ts';
import { type Answer, Origin, type Page } from './support/origin.ts';

// packages/media/test/imports (hostile-urls, redirects) tests the guard itself with every spelling of an address and
// every range of addresses. These tests check that the API and its worker use the guard.
let world: World;
let exempting: World;
let origin: Origin;
/** An origin that listens on an address that the settings don't exempt. */
let inside: Origin;

beforeAll(async () => {
  [world, exempting, origin, inside] = await Promise.all([
    World.open(),
    World.open(loopback),
    Origin.open(),
    Origin.open({ host: '127.0.0.2' }),
  ]);
});

afterAll(async () => {
  origin.close();
  inside.close();
  await Promise.all([world.close(), exempting.close()]);
});

describe('an import without IMPORT_ALLOWED_NETWORKS', () => {
  const urls = [
    'http://127.0.0.1:PORT/beach.jpg',
    'https://127.0.0.1:PORT/beach.jpg',
    'http://localhost:PORT/beach.jpg',
    'http://2130706433:PORT/beach.jpg',
    'http://[::ffff:127.0.0.1]:PORT/beach.jpg',
    'http://[64:ff9b::7f00:1]:PORT/beach.jpg',
    'http:\\\\127.0.0.1:PORT\\@example.com/beach.jpg',
    'http://10.0.0.1/beach.jpg',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/beach.jpg',
    'ftp://example.com/beach.jpg',
    'file:///etc/passwd',
    'data:image/png;base64,iVBORw0KGgo=',
    'https://user:secret@example.com/beach.jpg',
    'http://127.0.0.256/',
    '//example.com/beach.jpg',
    'beach.jpg',
  ];
  for (const url of urls) {
    test.concurrent(`is rejected from ${url}`, async () => {
      const reply = await importUrl(world, url.replace('PORT', String(origin.port)));
      expectInvalid(reply, { url: true });
      expectReadableSentence(String(Object(reply.json).message));
      expect(reply.text).not.toContain('secret');
    });
  }

  test('sends no request to an address that the setting would allow', async () => {
    expect(await itemCount(world)).toBe(0);
    const page = origin.page('beach.jpg', serve(fixtures.jpeg()));
    expectInvalid(await importUrl(world, page.url), { url: true });
    expect(page.requests).toHaveLength(0);
    await expectActive(exempting, stored(await importUrl(exempting, page.url)), fixtures.jpeg());
  });
});

describe('an import with IMPORT_ALLOWED_NETWORKS=127.0.0.1/32', () => {
  const hosts = ['127.0.0.2', '2130706434', '[::ffff:127.0.0.2]', '[::1]', '0.0.0.0', '10.0.0.1'];
  test.each(hosts)('is still rejected from %s', async (host) => {
    expectInvalid(await importUrl(exempting, `http://${host}:${inside.port}/beach.jpg`), { url: true });
  });
});

/** `hops` pages, each of which redirects to the next one, and a last page that gives the answer. */
function chain(hops: number, answer: Answer): Page[] {
  const pages = [origin.page('end.jpg', answer)];
  for (let hop = 0; hop < hops; hop++) pages.unshift(origin.page('hop.jpg', redirect(String(pages[0]?.url))));
  return pages;
}

describe('a redirect of an import', () => {
  test.concurrent('is followed up to three times, and does not change the name of the item', async () => {
    const images = chain(3, serve(fixtures.png()));
    const item = stored(await importUrl(exempting, images[0]?.url));
    expect(item.name).toBe('hop.png');
    await expectActive(exempting, item, fixtures.png());
    const videos = chain(3, serve(fixtures.mp4()));
    const done = await settled(exempting, accepted(await importUrl(exempting, videos[0]?.url)));
    expect(done.name).toBe('hop.mp4');
    for (const page of [...images, ...videos]) expect(page.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test.concurrent('is rejected with 422 for the field url if it is the fourth', async () => {
    const pages = chain(4, serve(fixtures.jpeg()));
    expectRefused(await importUrl(exempting, pages[0]?.url), 422);
    expect(pages.map((page) => page.requests.length)).toEqual([1, 1, 1, 1, 0]);
  });

  const targets: readonly [string, () => string][] = [
    ['another loopback address', () => inside.base()],
    ['another loopback address as a number', () => inside.base('2130706434')],
    ['the metadata address of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a file', () => 'file:///etc/passwd'],
    ['a URL with credentials', () => origin.base().replace('//', '//user:secret@')],
  ];
  for (const [name, target] of targets) {
    test.concurrent(`to ${name} is rejected with 422, or makes the import fail if a worker runs it`, async () => {
      for (const hops of [0, 2]) {
        const pages = chain(hops, redirect(target()));
        expectRefused(await importUrl(exempting, pages[0]?.url), 422);
        expect(pages.at(-1)?.requests).toHaveLength(1);
      }
      const page = origin.page('film.mp4', inTurn(status(503), redirect(target())));
      await expectFailed(exempting, await settled(exempting, accepted(await importUrl(exempting, page.url))));
      expect(page.requests).toHaveLength(2);
    });
  }

  test.concurrent('is followed again from the original URL at each retry', async () => {
    const pages = chain(2, inTurn(status(503), status(503), serve(fixtures.mp4())));
    const item = accepted(await importUrl(exempting, pages[0]?.url));
    await expectActive(exempting, await settled(exempting, item), fixtures.mp4());
    expect(pages.map((page) => page.requests.length)).toEqual([3, 3, 3]);
  });

  test.concurrent('without a target fails the import', async () => {
    const item = accepted(await importUrl(exempting, origin.page('hop.jpg', status(302)).url));
    await expectFailed(exempting, await settled(exempting, item));
  });
});

test('rejected imports never reach an internal listener and leave nothing behind', async () => {
  expect(inside.connections).toBe(0);
  expect(await leftovers(exempting)).toEqual([]);
  // The listener works, so the tests above would have noticed a connection.
  expect((await fetch(inside.base())).status).toBe(404);
});
