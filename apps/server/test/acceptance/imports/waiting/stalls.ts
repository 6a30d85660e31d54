import { describe, expect, test } from 'bun:test';
import * as fixtures from '../../support/fixtures.ts';
import { arrayAt } from '../../support/reply.ts';
import { mediaItem } from '../../support/shapes.ts';
import type { World } from '../../support/world.ts';
import { gate, head, inTurn, serve, serveGated, stallAfter } from '../support/answers.ts';
import { fastMovie, megabyte } from '../support/files.ts';
import { accepted, eventually, expectActive, expectFailed, importUrl, settled } from '../support/imports.ts';
import type { Answer, Origin } from '../support/origin.ts';

/** Sends its bytes one by one, a second apart, for as long as the client stays. */
const trickle =
  (bytes: string): Answer =>
  async ({ send }) => {
    for (const byte of bytes) {
      if (!(await send(byte))) return;
      await Bun.sleep(1000);
    }
  };

const stalled = (bytes: Uint8Array, stop: number): Answer =>
  stallAfter(head({ length: bytes.length }), bytes.subarray(0, stop));

/** Origins that keep the server waiting: "head-of-body within 10 s, idle 30 s". */
export function stallRows(world: () => World, origin: () => Origin): void {
  headRows(world, origin);
  bodyRows(world, origin);
}

function headRows(world: () => World, origin: () => Origin): void {
  describe('"head-of-body within 10 s"', () => {
    const rows: readonly [string, Answer][] = [
      ['no answer at all', stallAfter()],
      ['half of a head', stallAfter('HTTP/1.1 200 OK\r\nContent-Type: image/jp')],
      ['a head without a body', stallAfter(head({ length: 5000 }))],
      ['a head without a body and without a length', stallAfter(head())],
      ['a head that trickles', trickle(`HTTP/1.1 200 OK\r\nX-Slow: ${'x'.repeat(500)}`)],
      ['early hints without an end', trickle('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20))],
    ];
    for (const [name, answer] of rows) {
      test.concurrent(`${name}: 202 after 10 s, tried three times, failed in words, hung up on`, async () => {
        const page = origin().page('beach.jpg', answer);
        const began = performance.now();
        const item = accepted(await importUrl(world(), page.url));
        const waited = performance.now() - began;
        expect(waited).toBeGreaterThan(9_000);
        expect(waited).toBeLessThan(20_000);
        await expectFailed(world(), await settled(world(), item, 60_000), /127\.0\.0\.1/);
        expect(page.requests).toHaveLength(3);
        await eventually('the connections are gone', () => page.open === 0 || undefined);
      });
    }

    test.concurrent('no answer at first, then a video: active', async () => {
      const page = origin().page('film.mp4', inTurn(stallAfter(), serve(fixtures.mp4())));
      const item = accepted(await importUrl(world(), page.url));
      await expectActive(world(), await settled(world(), item), fixtures.mp4());
      expect(page.requests).toHaveLength(2);
    });

    test.concurrent('three bytes of a JPEG and no more: 202 within the limits', async () => {
      const page = origin().page('beach.jpg', stallAfter(head({ length: 5000 }), fixtures.jpeg().subarray(0, 3)));
      const began = performance.now();
      const item = accepted(await importUrl(world(), page.url));
      expect(performance.now() - began).toBeLessThan(45_000);
      expect((await world().call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
    });
  });
}

function bodyRows(world: () => World, origin: () => Origin): void {
  describe('"idle 30 s"', () => {
    test.concurrent('a video that stops on the way is asked for again after 30 s, and then active', async () => {
      const film = fastMovie(2 * megabyte);
      const page = origin().page('film.mp4', inTurn(stalled(film, megabyte), serve(film)));
      const item = accepted(await importUrl(world(), page.url));
      await expectActive(world(), await settled(world(), item, 60_000), film);
      const [first, second] = page.requests.map((request) => request.at);
      const waited = Number(second) - Number(first);
      expect(page.requests).toHaveLength(2);
      expect(waited).toBeGreaterThan(29_000);
      expect(waited).toBeLessThan(45_000);
    });

    const png = Buffer.concat([fixtures.png(), Buffer.alloc(100_000)]);

    test.concurrent('an image that stops on the way: the client still gets its 202, the item ends active', async () => {
      const page = origin().page('photo.png', inTurn(stalled(png, 50_000), serve(png)));
      const item = accepted(await importUrl(world(), page.url));
      await expectActive(world(), await settled(world(), item, 60_000), png);
      expect(page.requests).toHaveLength(2);
    });

    test.concurrent('a pause of 12 s is no stall', async () => {
      const film = fastMovie(2 * megabyte);
      const page = origin().page('film.mp4', async ({ send, finish }) => {
        await send(head({ length: film.length }));
        await send(film.subarray(0, megabyte));
        await Bun.sleep(12_000);
        await send(film.subarray(megabyte));
        finish();
      });
      const item = accepted(await importUrl(world(), page.url));
      await expectActive(world(), await settled(world(), item), film);
      expect(page.requests).toHaveLength(1);
    });

    test.concurrent('deleted while its origin says nothing: the connection ends although the origin never does', async () => {
      const page = origin().page('film.mp4', serveGated(fastMovie(2 * megabyte), megabyte, gate()));
      const item = accepted(await importUrl(world(), page.url));
      expect((await world().call(`DELETE /media_contents/${item.id}`)).status).toBe(204);
      // A worker may learn of it only when it renews its lease of 30 seconds.
      await eventually('the connection is gone', () => page.open === 0 || undefined, 35_000);
      expect(page.requests).toHaveLength(1);
    });

    test.concurrent('a client that hangs up before its 201: the item is whole or not at all, and the origin is let go', async () => {
      const page = origin().page('abandoned.png', inTurn(stalled(png, 50_000), serve(png)));
      const hangUp = new AbortController();
      const request = fetch(`${world().server.url}/v1/workspaces/${world().ids.workspace}/media_contents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world().tokens.all}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url: page.url }),
        signal: hangUp.signal,
      });
      await eventually('the origin is asked', () => page.open === 1 || undefined);
      hangUp.abort();
      await expect(request).rejects.toThrow();
      await eventually('the origin is let go', () => page.open === 0 || undefined, 40_000);
      // Whether the import goes on without its client is left open.
      const found = await world().call('GET /workspaces/{workspace}/media_contents?search=abandoned');
      const items = arrayAt(found.json, 'data').map(mediaItem);
      for (const item of items) await expectActive(world(), await settled(world(), item, 60_000), png);
      expect(items.length).toBeLessThanOrEqual(1);
    });
  });
}
