import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { World } from '../support/world.ts';
import { inTurn, redirect, serve, status } from './support/answers.ts';
import {
  accepted,
  eventually,
  expectActive,
  expectFailed,
  expectRefused,
  importUrl,
  itemCount,
  leftovers,
  loopback,
  settled,
  stored,
} from './support/imports.ts';
import { type Answer, Origin, type Page } from './support/origin.ts';

setDefaultTimeout(60_000);

let world: World;
let origin: Origin;
/** Listens on a loopback address that the settings don't exempt. */
let inside: Origin;

beforeAll(async () => {
  [world, origin, inside] = await Promise.all([
    World.open(loopback),
    Origin.open(),
    Origin.open({ host: '127.0.0.2' }),
  ]);
});

afterAll(async () => {
  origin.close();
  inside.close();
  await world.close();
});

/** A page that redirects `hops` times before the answer; the page with the answer comes last. */
function chain(hops: number, answer: Answer, code = 302): Page[] {
  const pages = [origin.page('end.jpg', answer)];
  for (let hop = 0; hop < hops; hop++) {
    const [next] = pages;
    pages.unshift(origin.page('hop.jpg', redirect(String(next?.url), code)));
  }
  return pages;
}

describe('Redirects are followed, three at most', () => {
  for (const hops of [1, 3]) {
    test.concurrent(`${hops}: an image is stored, a video imported, each hop asked once`, async () => {
      const images = chain(hops, serve(fixtures.jpeg()));
      await expectActive(world, stored(await importUrl(world, images[0]?.url)), fixtures.jpeg());
      const films = chain(hops, serve(fixtures.mp4()));
      const item = accepted(await importUrl(world, films[0]?.url));
      await expectActive(world, await settled(world, item), fixtures.mp4());
      for (const page of [...images, ...films]) expect(page.requests.map(({ method }) => method)).toEqual(['GET']);
    });
  }

  for (const hops of [4, 20]) {
    test.concurrent(`${hops}: 422 on url, the fifth address never asked`, async () => {
      const pages = chain(hops, serve(fixtures.jpeg()));
      expectRefused(await importUrl(world, pages[0]?.url), 422);
      expect(pages.map((page) => page.requests.length)).toEqual(pages.map((_, index) => (index < 4 ? 1 : 0)));
    });
  }

  for (const code of [301, 302, 303, 307, 308]) {
    test.concurrent(`${code} is followed`, async () => {
      const pages = chain(3, serve(fixtures.jpeg()), code);
      await expectActive(world, stored(await importUrl(world, pages[0]?.url)), fixtures.jpeg());
    });
  }

  test.concurrent('one with a body, endless or an image itself, is followed all the same', async () => {
    const end = origin.page('end.png', serve(fixtures.png()));
    const Location = end.url;
    const bodies: Answer[] = [
      serve(fixtures.jpeg(), { status: 302, type: 'image/jpeg', headers: { Location } }),
      async ({ send }) => {
        await send(`HTTP/1.1 302 Found\r\nLocation: ${Location}\r\n\r\n`);
        while (await send('and so on '.repeat(10_000)));
      },
    ];
    for (const answer of bodies) {
      const page = origin.page('hop.jpg', answer);
      await expectActive(world, stored(await importUrl(world, page.url)), fixtures.png());
      await eventually('the redirecting connection is gone', () => page.open === 0 || undefined);
    }
  });

  test.concurrent('a loop of one and a loop of two: 422, four requests in all', async () => {
    const self = origin.page('self.jpg', ({ send, finish }) => {
      void send('HTTP/1.1 302 Found\r\nLocation: self.jpg\r\nContent-Length: 0\r\n\r\n').then(finish);
    });
    expectRefused(await importUrl(world, self.url), 422);
    expect(self.requests).toHaveLength(4);
    let back = '';
    const one = origin.page('one.jpg', (exchange) => redirect(back)(exchange));
    const two = origin.page('two.jpg', redirect(one.path));
    back = two.url;
    expectRefused(await importUrl(world, one.url), 422);
    expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
  });
});

describe('A Location is relative to where it came from (RFC 9110 §10.2.2)', () => {
  const rows: readonly [string, (target: Page) => string][] = [
    ['absolute', (target) => target.url],
    ['an absolute path', (target) => target.path],
    ['far too far upwards', (target) => `../../../../..${target.path}`],
    ['without a scheme', (target) => target.url.replace('http:', '')],
    ['with a fragment', (target) => `${target.url}#top`],
    ['with white space around', (target) => `  ${target.url}  `],
  ];
  for (const [name, location] of rows) {
    test.concurrent(name, async () => {
      const end = origin.page('end.jpg', serve(fixtures.jpeg()));
      const hop = origin.page('hop.jpg', redirect(location(end)));
      await expectActive(world, stored(await importUrl(world, hop.url)), fixtures.jpeg());
      expect(end.requests.map(({ target }) => target)).toEqual([end.path]);
    });
  }

  test.concurrent('a query alone keeps the path', async () => {
    const page = origin.page('photo.jpg', (exchange) => {
      const asked = exchange.request.target.endsWith('?full=1');
      return (asked ? serve(fixtures.jpeg()) : redirect('?full=1'))(exchange);
    });
    await expectActive(world, stored(await importUrl(world, page.url)), fixtures.jpeg());
    expect(page.requests.map(({ target }) => target)).toEqual([page.path, `${page.path}?full=1`]);
  });
});

describe('The name is that of the URL that was asked for, wherever it leads', () => {
  test.concurrent('for an image, and for a video', async () => {
    const image = origin.page('asked.png', redirect(origin.page('found.gif', serve(fixtures.jpeg())).url));
    expect(stored(await importUrl(world, image.url)).name).toBe('asked.jpg');
    const film = origin.page('asked.mov', redirect(origin.page('found.bin', serve(fixtures.mp4())).url));
    const item = accepted(await importUrl(world, film.url));
    expect((await settled(world, item)).name).toBe('asked.mp4');
  });
});

describe('Every hop has to lead to a public address', () => {
  const targets: readonly [string, () => string][] = [
    ['another loopback address, which listens', () => inside.base()],
    ['the same in one number', () => inside.base('2130706434')],
    ['the same as IPv6', () => inside.base('[::ffff:127.0.0.2]')],
    ['the same without a scheme', () => `//127.0.0.2:${inside.port}/`],
    ['IPv6 loopback', () => inside.base('[::1]')],
    ['every address of this machine', () => inside.base('0.0.0.0')],
    ['a private address', () => 'http://10.0.0.1/'],
    ['the address of cloud metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['the same over https', () => 'https://169.254.169.254/'],
    ['link-local IPv6', () => 'http://[fe80::1]/'],
    ['a private address in NAT64', () => 'http://[64:ff9b::a00:1]/'],
  ];
  for (const [name, target] of targets) {
    test.concurrent(`${name}: 422 on url, at any hop`, async () => {
      for (const hops of [0, 1, 2]) {
        const pages = chain(hops, redirect(target()));
        expectRefused(await importUrl(world, pages[0]?.url), 422);
        expect(pages.at(-1)?.requests).toHaveLength(1);
      }
    });
  }

  test.concurrent('where the redirect came to a worker: failed, in words', async () => {
    const page = origin.page('film.mp4', inTurn(status(503), redirect(inside.base())));
    await expectFailed(world, await settled(world, accepted(await importUrl(world, page.url))));
    expect(page.requests).toHaveLength(2);
  });

  const others: readonly string[] = [
    'ftp://example.com/beach.jpg',
    'file:///etc/passwd',
    'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
    'javascript:alert(1)',
    'gopher://127.0.0.1:70/',
    'ws://127.0.0.1/',
    'about:blank',
    'blob:http://127.0.0.1/1',
  ];
  for (const location of others) {
    test.concurrent(`${location}: 422 on url`, async () => {
      expectRefused(await importUrl(world, origin.page('hop.jpg', redirect(location)).url), 422);
    });
  }

  test.concurrent('credentials in a Location: 422 on url, never sent', async () => {
    const end = origin.page('end.jpg', serve(fixtures.jpeg()));
    const hop = origin.page('hop.jpg', redirect(end.url.replace('//', '//user:secret@')));
    expectRefused(await importUrl(world, hop.url), 422);
    expect(end.requests).toEqual([]);
  });
});

describe('A redirect to nowhere is never a file', () => {
  const rows: readonly [string, Answer][] = [
    ['without a Location', status(302)],
    ['with half an IPv6 address', redirect('http://[::1')],
    ['to port 99999', redirect('http://127.0.0.1:99999/')],
    ['300, which offers a choice', status(300)],
    ['with an image and no Location', serve(fixtures.jpeg(), { status: 302 })],
  ];
  for (const [name, answer] of rows) {
    test.concurrent(`${name}: 422 on url, or failed`, async () => {
      const reply = await importUrl(world, origin.page('hop.jpg', answer).url);
      if (reply.status === 422) expectRefused(reply, 422);
      else await expectFailed(world, await settled(world, accepted(reply)));
    });
  }

  test.concurrent('to a page that is gone: failed', async () => {
    const [first, last] = chain(1, status(410));
    const item = accepted(await importUrl(world, first?.url));
    await expectFailed(world, await settled(world, item), /answered 410/);
    expect(last?.requests).toHaveLength(1);
  });

  test.concurrent('to a page that fails twice: asked from the start each time, then active', async () => {
    const pages = chain(2, inTurn(status(503), status(503), serve(fixtures.mp4())));
    const item = accepted(await importUrl(world, pages[0]?.url));
    await expectActive(world, await settled(world, item), fixtures.mp4());
    expect(pages.map((page) => page.requests.length)).toEqual([3, 3, 3]);
  });
});

test('the listener inside was never reached, and nothing of what was refused remains', async () => {
  expect(inside.connections).toBe(0);
  expect(await itemCount(world)).toBeGreaterThan(10);
  expect(await leftovers(world)).toEqual([]);
});
