import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sampleImage } from '@postshelf/testing/contracts/samples';
import { createOpenApiNodeHttpHandler } from 'trpc-to-openapi';
import { beginExchange } from '../../../src/exchange.ts';
import { readableRouter } from '../../../src/faces/openapi/skeleton.ts';
import { renderTrpcError } from '../../../src/faces/trpc/errors.ts';
import { allOperations } from '../../../src/operations/index.ts';
import { createService } from '../../../src/service.ts';
import { databases } from '../../support/databases.ts';
import { startApi, type TestApi } from '../../support/service.ts';

/** The parts of an answer in which REST and the handler must agree. */
interface Answered {
  readonly status: number;
  readonly body: unknown;
}

const reads = allOperations.filter(({ method }) => method === 'GET');

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

let api: TestApi;
let operator: string;
/** Paths with the ids of existing resources, by the path of the operation. */
let paths: ReadonlyMap<string, string>;
let askHandler: (path: string, token: string | null) => Promise<Answered>;

beforeAll(async () => {
  api = await startApi();
  operator = await api.tokenWith({ scopes: ['operator'], workspaceIds: [] });
  paths = await findPaths(api);
  askHandler = handlerOver(api);
});

afterAll(databases.closeAll);

describe.each(reads.map((each) => [each.path, each] as const))('GET %s', (path, { scope, input }) => {
  const token = () => (scope === 'operator' ? operator : api.token);

  test('is answered identically by trpc-to-openapi and our handler', async () => {
    const [theirs, ours] = await askBoth(paths.get(path) ?? '', token());
    expect(ours.status).toBe(200);
    expect(theirs).toEqual(ours);
  });

  test('is refused with the same message by both handlers', async () => {
    const found = paths.get(path) ?? '';
    const asked: [path: string, token: string | null][] = [
      [found, null],
      [found, await api.tokenWith({ scopes: ['webhooks:write'] })],
      [found.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, UNKNOWN), token()],
    ];
    if (input) asked.push([`${found.split('?')[0]}?page=0&per_page=x&from=y&include=z&workspace=1`, token()]);
    for (const [address, by] of asked) {
      const [theirs, ours] = await askBoth(address, by);
      expect(theirs).toEqual(ours);
    }
  });
});

/** Removes the times at which tokens were last used, because these are written in the background. */
const steady = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => (name === 'last_used_at' ? null : value));

async function askBoth(path: string, token: string | null): Promise<readonly [theirs: Answered, ours: Answered]> {
  const answer = await api.send('GET', `/v1${path}`, undefined, {
    Authorization: token === null ? '' : `Bearer ${token}`,
  });
  const version = /^"(\d+)/.exec(answer.headers.get('etag') ?? '')?.[1];
  const shown = (await answer.json()) as object;
  // tRPC has the version in the body; REST has it in `ETag`.
  const body = version === undefined || answer.status !== 200 ? shown : { ...shown, version: Number(version) };
  const theirs = await askHandler(path, token);
  return [
    { ...theirs, body: steady(theirs.body) },
    { status: answer.status, body: steady(body) },
  ];
}

/** Adds a resource of each kind that a path names. Returns the paths with the ids of these resources. */
async function findPaths({ ports, workspace, send }: TestApi): Promise<ReadonlyMap<string, string>> {
  const below = `/v1/workspaces/${workspace.id}`;
  const add = async (path: string, json: unknown): Promise<string> => {
    const answer = (await (await send('POST', `${below}/${path}`, { json })).json()) as { data: { id: string } };
    return answer.data.id;
  };
  const image = sampleImage(workspace.id);
  await ports.media.insert([image]);
  const profile = await add('profiles', { name: 'Bakery', network: 'instagram' });
  await add('calendars', {});
  await add('people', { name: 'Ada', role: 'viewer' });
  const ids: Readonly<Record<string, string>> = {
    workspaces: workspace.id,
    folders: await add('media_library/folders', { name: 'Summer' }),
    media_contents: image.id,
    profiles: profile,
    posts: await add('posts', { profile, published_at: '2026-01-31T18:30:00Z', text: 'Fresh bread' }),
    webhooks: await add('webhooks', { url: 'https://hooks.example/', types: ['post.updated'] }),
  };
  const queries: Readonly<Record<string, string>> = {
    '/analytics/best_times': `?workspace=${workspace.id}`,
    '/analytics/best_times/slots': `?workspace=${workspace.id}&from=2026-02-01T00:00:00Z&count=2`,
    '/workspaces/{workspace}/media_contents': '?type=image&include=details,usage&per_page=1',
    '/media_contents/{id}/readiness': '?targets=instagram.reel,x.post',
  };
  const found = (path: string) => path.replace(/(\w+)\/\{\w+\}/g, (_, kind: string) => `${kind}/${ids[kind]}`);
  return new Map(reads.map(({ path }) => [path, `${found(path)}${queries[path] ?? ''}`]));
}

/** Makes one handler for all requests, unlike the adapters of trpc-to-openapi. */
function handlerOver({ service }: TestApi): typeof askHandler {
  const parts = createService(service);
  const handle = createOpenApiNodeHttpHandler({
    router: readableRouter(),
    createContext: ({ req }) => ({ exchange: beginExchange(parts, req as unknown as Request, null), budget: null }),
    responseMeta: ({ errors: [error] }) => (error ? { status: renderTrpcError(error).status } : {}),
  });
  return async (path, token) => {
    const headers = { ...(token !== null && { Authorization: `Bearer ${token}` }) };
    const request = new Request(`http://127.0.0.1:3000${path}`, { headers });
    const { promise, resolve } = Promise.withResolvers<string>();
    const response = { statusCode: 0, setHeader: () => undefined, end: resolve };
    await handle(request as never, response as never);
    const body = JSON.parse(await promise) as {
      readonly message: string;
      readonly data: { readonly errors?: unknown };
    };
    const status = response.statusCode;
    if (status < 400) return { status, body };
    const { errors } = body.data;
    return { status, body: { message: body.message, ...(errors !== undefined && { errors }) } };
  };
}
