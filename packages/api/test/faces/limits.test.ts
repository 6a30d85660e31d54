import { afterAll, describe, expect, test } from 'bun:test';
import { FairShares, type ReleaseSlot } from '@postshelf/application';
import { limitWork, type Uuid, type WorkKind } from '@postshelf/domain';
import { routesOf } from '../../src/faces/rest/routes.ts';
import { createApi, type RequestLimits, type RequestObserver } from '../../src/index.ts';
import { createService } from '../../src/service.ts';
import { databases } from '../support/databases.ts';
import { PUBLIC_URL, startApi, WORK_SIZES } from '../support/service.ts';

afterAll(databases.closeAll);

const EXCEEDED = { limit: 5, remaining: 0, reset: 7, isExceeded: true };

class NotingShares extends FairShares {
  constructor(private readonly heard: string[]) {
    super(limitWork(WORK_SIZES));
  }

  override async take(kind: WorkKind, workspaceId: Uuid, signal: AbortSignal): Promise<ReleaseSlot> {
    const releaseSlot = await super.take(kind, workspaceId, signal);
    this.heard.push(`take ${kind}`);
    return () => {
      this.heard.push('give back');
      releaseSlot();
    };
  }
}

/**
 * Opens the API with ports that record their calls in order.
 *
 * @param isExceeded whether every token is above its rate limit
 */
async function openApi(isExceeded = false) {
  const api = await startApi();
  const heard: string[] = [];
  const limits: RequestLimits = {
    async countOperation() {
      heard.push('count');
      return { ...EXCEEDED, isExceeded };
    },
    rateOf: () => null,
    countRead: async () => EXCEEDED,
  };
  const shares = new NotingShares(heard);
  const observer: RequestObserver = {
    ...api.service.observer,
    observe({ facts }, answer) {
      heard.push(`observe ${facts.route}`);
      return answer();
    },
  };
  const app = createApi({ ...api.service, ports: { ...api.service.ports, shares }, limits, observer });
  const Authorization = `Bearer ${await api.tokenWith({})}`;
  const send = (method: string, path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`http://127.0.0.1${path}`, { ...init, method, headers: { Authorization, ...init.headers } }));
  return { ...api, heard, send };
}

const { service } = await startApi();
const operations = [...routesOf(createService(service))]
  // Leaves out the sign-in with an OpenID provider, whose users aren't authenticated yet.
  .filter(([path]) => path.startsWith('/v1/') && !path.startsWith('/v1/sessions/oidc'))
  .flatMap(([path, methods]) => [...methods.keys()].map((method) => [method, path] as const))
  // OPTIONS needs no token.
  .filter(([method]) => method !== 'OPTIONS');

/**
 * Returns the expected status of an operation above the limit. Requests to resume uploads get other statuses, because
 * their clients would give up at a 429.
 */
const statusOf = (method: string, path: string): number => {
  if (!path.startsWith('/v1/uploads/')) return 429;
  return { HEAD: 423, PATCH: 503, POST: 503 }[method] ?? 429;
};

describe('request accounting', () => {
  test.each(operations)('observes %s %s with its route and counts it once', async (method, path) => {
    const { heard, send, token } = await openApi(true);
    // For sign-in, the token is in the body instead of a header.
    const isSignIn = method === 'POST' && path === '/v1/sessions';
    const headers = { 'Content-Type': 'application/json', Origin: PUBLIC_URL };
    const init = isSignIn
      ? { headers, body: JSON.stringify({ token }) }
      : { headers: { 'X-HTTP-Method-Override': 'PATCH' } };
    const response = await send(method, path.replace(/:\w+/g, 'x'), init);
    expect(heard).toEqual([`observe ${path.replace(/:(\w+)/g, '{$1}')}`, 'count']);
    expect(response.status).toBe(statusOf(method, path));
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': '7',
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '7',
    });
    if (method !== 'HEAD') expect(await response.json()).toEqual({ message: 'Too many requests.' });
  });

  test('counts each call of a batch', async () => {
    const { heard, send, workspace } = await openApi();
    const input = encodeURIComponent(
      JSON.stringify({ 0: { workspace: workspace.id }, 1: { workspace: workspace.id } }),
    );
    await send('GET', `/trpc/folders.list,media.list?batch=1&input=${input}`);
    expect(heard).toEqual(['observe /trpc/*', 'count', 'count']);
  });

  test('takes a slot for an upload and releases it however the upload ends', async () => {
    const { heard, send, workspace } = await openApi();
    const form = new FormData();
    form.append('files[]', new File(['no picture'], 'beach.jpg'));
    const path = `/v1/workspaces/${workspace.id}/media_contents`;
    expect((await send('POST', path, { body: form })).status).toBe(422);
    const broken = { body: 'broken', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } };
    expect((await send('POST', path, broken)).status).toBe(400);
    const observe = 'observe /v1/workspaces/{workspace}/media_contents';
    expect(heard).toEqual([
      observe,
      'count',
      'take uploads',
      'give back',
      observe,
      'count',
      'take uploads',
      'give back',
    ]);
  });

  test('observes but does not count requests with an unknown path or a wrong method', async () => {
    const { heard, send } = await openApi();
    expect((await send('GET', '/v1/nowhere')).status).toBe(404);
    expect((await send('DELETE', '/trpc/x')).status).toBe(405);
    expect(heard).toEqual(['observe null', 'observe /trpc/*']);
  });
});

test.each(['unknown', 'revoked'])(
  'a tRPC request whose token is %s is rejected before its body is read',
  async (which) => {
    const { send, token, ports } = await openApi();
    const [{ id } = { id: null }] = await ports.tokens.list();
    if (which === 'revoked' && id !== null) await ports.tokens.revoke(id, ports.clock.now());
    const body = new ReadableStream({
      pull: () => Promise.reject(new Error('The body was read.')),
    });
    const bearer = which === 'revoked' ? token : 'no.good.token';
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' };
    const response = await send('POST', '/trpc/folders.create', { body, headers });
    expect(response.status).toBe(401);
  },
);
