import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import type { World } from '../support/world.ts';
import { type Library, uploadStorages } from './support/storages.ts';
import { issue } from './support/uploads.ts';

setDefaultTimeout(60_000);

const page = 'https://app.example.com';

function preflight(url: string, method: string, headers: string, origin = page): Promise<Response> {
  const request = {
    Origin: origin,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': headers,
  };
  return fetch(url, { method: 'OPTIONS', headers: request });
}

const listOf = (response: Response, name: string) =>
  (response.headers.get(name) ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim());

/** What a browser asks of a preflight's answer (Fetch standard, section 4.8). */
function expectAllowed(response: Response, method: string, headers: readonly string[], origin: string): void {
  expect(response.ok).toBe(true);
  expect(response.headers.get('access-control-allow-origin')).toBe(origin);
  expect(listOf(response, 'access-control-allow-methods')).toContain(method.toLowerCase());
  for (const name of headers) expect(listOf(response, 'access-control-allow-headers')).toContain(name);
}

function expectClosed(response: Response): void {
  const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
  expect(names).toEqual([]);
}

/** Addresses of the service with the method that a page would use there, each answered with the given status. */
async function requests(world: World): Promise<readonly [string, string, RequestInit, number][]> {
  const v1 = `${world.server.url}/v1`;
  const authorization = { Authorization: `Bearer ${world.tokens.all}` };
  const list = `${v1}/workspaces/${world.ids.workspace}/media_contents`;
  const json = { ...authorization, 'Content-Type': 'application/json' };
  return [
    ['an answer', list, { headers: authorization }, 200],
    ['401', list, {}, 401],
    ['404', `${v1}/media_contents/${world.ids.unknown}`, { headers: authorization }, 404],
    ['404 of no route', `${v1}/nothing/here`, { headers: authorization }, 404],
    ['405', `${v1}/media_contents/${world.ids.unknown}`, { method: 'PUT', headers: authorization }, 405],
    ['422', `${list}/presign`, { method: 'POST', headers: json, body: '{"files":[]}' }, 422],
    ['400', `${list}/presign`, { method: 'POST', headers: json, body: '{' }, 400],
    ['403', `${world.server.url}/uploads/${world.ids.unknown}`, { method: 'PUT', body: 'x' }, 403],
  ];
}

const ask = (url: string, init: RequestInit, origin: string) =>
  fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), Origin: origin } });

for (const storage of uploadStorages) {
  const within = async (settings: Record<string, string>, use: (library: Library) => Promise<void>) => {
    const library = await storage.open(settings);
    try {
      await use(library);
    } finally {
      await library.close();
    }
  };
  const answers = async (world: World) =>
    (await requests(world)).filter(([, url]) => storage.receives || !url.includes('/uploads/'));

  describe(`Pages of other origins, on ${storage.name}`, () => {
    for (const [setting, allowed] of [
      [`${page} https://other.example.com`, page],
      ['*', '*'],
    ] as const) {
      test(`CORS_ORIGINS=${setting}: preflights and every answer, errors included`, () =>
        within({ CORS_ORIGINS: setting }, async ({ world }) => {
          const presign = `${world.server.url}/v1/workspaces/${world.ids.workspace}/media_contents/presign`;
          const headers = ['authorization', 'content-type'];
          expectAllowed(await preflight(presign, 'POST', headers.join(',')), 'POST', headers, allowed);
          const item = `${world.server.url}/v1/media_contents/${world.ids.unknown}`;
          expectAllowed(await preflight(item, 'PATCH', headers.join(',')), 'PATCH', headers, allowed);
          expectAllowed(await preflight(item, 'DELETE', 'authorization'), 'DELETE', ['authorization'], allowed);
          for (const [name, url, init, status] of await answers(world)) {
            const response = await ask(url, init, page);
            const origin = response.headers.get('access-control-allow-origin');
            expect({ name, status: response.status, origin }).toEqual({ name, status, origin: allowed });
            expect(response.headers.get('access-control-allow-credentials')).toBeNull();
            if (setting !== '*') expect(listOf(response, 'vary')).toContain('origin');
          }
          if (!storage.receives) return;
          const issued = await issue(world, fixtures.jpeg());
          expectAllowed(await preflight(issued.url, 'PUT', 'content-type'), 'PUT', ['content-type'], allowed);
          const init = { method: 'PUT', headers: issued.headers, body: Buffer.from(fixtures.jpeg()) };
          const sent = await ask(issued.url, init, page);
          expect({ status: sent.status, origin: sent.headers.get('access-control-allow-origin') }).toEqual({
            status: 200,
            origin: allowed,
          });
        }));
    }

    for (const [setting, origins] of [
      ['', [page, 'null']],
      [page, ['https://evil.example', `${page}.evil.example`, 'http://app.example.com', `${page}:8443`, 'null']],
    ] as const) {
      test(`CORS_ORIGINS=${setting || '(empty)'}: nothing for ${origins.join(', ')}`, () =>
        within(setting === '' ? {} : { CORS_ORIGINS: setting }, async ({ world }) => {
          for (const origin of origins) {
            for (const [, url, init, status] of await answers(world)) {
              const response = await ask(url, init, origin);
              expect(response.status).toBe(status);
              expectClosed(response);
              expectClosed(await preflight(url, init.method ?? 'GET', 'authorization', origin));
            }
          }
        }));
    }
  });
}
