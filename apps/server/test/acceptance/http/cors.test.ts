import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { issue } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';

const sent =
  'Authorization, Content-Type, trpc-accept, traceparent, tracestate, baggage, X-Request-Id, If-None-Match, If-Match, ' +
  'Range, Idempotency-Key, Last-Event-ID, MCP-Protocol-Version, Tus-Resumable, Upload-Length, Upload-Offset, ' +
  'Upload-Metadata, Upload-Checksum, Upload-Defer-Length, X-HTTP-Method-Override, Cache-Control, X-Requested-With, *';
const read =
  'ETag, Content-Disposition, Content-Range, Accept-Ranges, Content-Length, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, ' +
  'RateLimit-Reset, X-Request-Id, Idempotency-Replayed, Last-Event-ID, Postshelf-Media-Id, Tus-Resumable, Tus-Version, ' +
  'Tus-Extension, Tus-Max-Size, Upload-Offset, Upload-Length, Upload-Metadata, Upload-Expires';
const namesIn = (list: string | null): string[] => (list ?? '').toLowerCase().split(/ *, */);

const origin = 'http://127.0.0.1:12345';
const strangers = ['https://evil.example', `${origin}.evil.example`, 'null'];

let world: World;
let closed: World;

beforeAll(async () => {
  [world, closed] = await Promise.all([
    World.openAlone({ ...onDisk, CORS_ORIGINS: `https://app.example.com ${origin}`, RATE_LIMIT_PER_MINUTE: '10000' }),
    World.openAlone({ ...onDisk }),
  ]);
});

afterAll(() => Promise.all([world.close(), closed.close()]));

/** Returns one address of each part of the service that pages use, with an accepted method and the expected status. */
async function addresses(of: World): Promise<readonly [string, string, number][]> {
  const { url } = await issue(of, fixtures.jpeg());
  const { full_name } = await of.storeOne(file('beach.jpg', fixtures.jpeg()));
  return [
    ['GET', `${of.server.url}/v1/workspaces/${of.ids.workspace}/media_contents`, 200],
    ['GET', `${of.server.url}/v1/nothing/here`, 404],
    ['GET', `${of.server.url}/trpc/media.list?input={"workspace":"${of.ids.workspace}"}`, 200],
    ['GET', `${of.server.url}/files/${full_name}`, 200],
    ['GET', `${of.server.url}/files/nothing/here`, 404],
    ['PUT', url, 403],
  ];
}

const ask = (method: string, url: string, of: World, origin: string) =>
  fetch(url, { method, headers: { Origin: origin, Authorization: `Bearer ${of.tokens.all}` } });

const preflight = (method: string, url: string, origin: string) =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': sent.toLowerCase(),
    },
  });

const aboutAccess = ({ headers }: Response) => [...headers.keys()].filter((name) => /^access-control/.test(name));

describe('a page of an origin in CORS_ORIGINS', () => {
  test('can send all headers that clients use and read response headers on every route', async () => {
    for (const [method, url, status] of await addresses(world)) {
      const allowed = await preflight(method, url, origin);
      expect(allowed.status).toBe(204);
      expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
      expect(namesIn(allowed.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase());
      expect(namesIn(allowed.headers.get('access-control-allow-headers')).sort()).toEqual(namesIn(sent).sort());
      const answer = await ask(method, url, world, origin);
      expect({ url, status: answer.status }).toEqual({ url, status });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      expect(namesIn(answer.headers.get('vary'))).toContain('origin');
      expect(namesIn(answer.headers.get('access-control-expose-headers'))).toEqual(
        expect.arrayContaining(namesIn(read)),
      );
    }
  });
});

test('CORS_ORIGINS=* allows every page to read all responses, including errors', async () => {
  const open = await World.openAlone({ ...onDisk, CORS_ORIGINS: '*' });
  try {
    const missing = `${open.server.url}/v1/media_contents/${open.ids.unknown}`;
    const presign = `${open.server.url}/v1/workspaces/${open.ids.workspace}/media_contents/presign`;
    const all: readonly (readonly [string, string, number])[] = [
      ...(await addresses(open)),
      ['PUT', missing, 405],
      ['DELETE', missing, 404],
      ['POST', presign, 422],
    ];
    for (const [method, url, status] of all) {
      const answers = [await preflight(method, url, origin), await ask(method, url, open, origin)];
      expect([url, answers[1]?.status]).toEqual([url, status]);
      for (const answer of answers) {
        expect(answer.headers.get('access-control-allow-origin')).toBe('*');
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      }
    }
    const nobody = await fetch(missing, { headers: { Origin: origin } });
    expect([nobody.status, nobody.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
  } finally {
    await open.close();
  }
});

describe('other origins get no CORS headers', () => {
  for (const [where, of, origins] of [
    ['if CORS_ORIGINS names some origins', () => world, strangers],
    ['if CORS_ORIGINS is not set', () => closed, [origin, ...strangers]],
  ] as const)
    test(where, async () => {
      for (const [method, url, status] of await addresses(of())) {
        for (const origin of origins) {
          expect(aboutAccess(await preflight(method, url, origin))).toEqual([]);
          const answer = await ask(method, url, of(), origin);
          expect({ url, status: answer.status, access: aboutAccess(answer) }).toEqual({ url, status, access: [] });
          expect(namesIn(answer.headers.get('vary')).includes('origin')).toBe(of() === world);
        }
      }
    });
});
