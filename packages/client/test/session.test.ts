import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createPostshelfClient, PostshelfError } from '../src/index.ts';

interface Heard {
  readonly what: string;
  readonly authorization: string | null;
  readonly body: string;
}

let heard: Heard[];
let answer: () => Response;
let server: Bun.Server<undefined>;

beforeEach(() => {
  heard = [];
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const what = `${request.method} ${pathname}`;
      heard.push({ what, authorization: request.headers.get('authorization'), body: await request.text() });
      return answer();
    },
  });
});

afterEach(() => server.stop(true));

const clientWith = (token: string | null) => createPostshelfClient({ baseUrl: server.url, token, repeats: 0 });

const session = { id: 'x', name: 'Firefox' };

test('signing in and out sends no token, and requests of a session send only the cookie', async () => {
  answer = () => Response.json({ data: session }, { status: 201 });
  expect(await clientWith('a token').signIn({ token: 'eyJ', name: 'Firefox' })).toMatchObject(session);
  answer = () => new Response(null, { status: 204 });
  await clientWith('a token').signOut();
  answer = () => Response.json({ data: [] }, { status: 201 });
  await clientWith(null).upload('w', new File(['x'], 'x.jpg'));
  answer = () => Response.json([{ result: { data: { data: {} } } }]);
  await clientWith(null).trpc.me.get.query({});
  expect(heard).toEqual([
    { what: 'POST /v1/sessions', authorization: null, body: '{"token":"eyJ","name":"Firefox"}' },
    { what: 'DELETE /v1/sessions/current', authorization: null, body: '' },
    { what: 'POST /v1/workspaces/w/media_contents', authorization: null, body: expect.stringContaining('x.jpg') },
    { what: 'GET /trpc/me.get', authorization: null, body: '' },
  ]);
});

test('signing in with an invalid token is rejected, and signing out without a session succeeds', async () => {
  const refuse = (status: number) => {
    answer = () => Response.json({ message: 'No.' }, { status });
  };
  const client = clientWith(null);
  refuse(401);
  await client.signOut();
  const signIn = () => client.signIn({ code: 'used' });
  for (const [status, work] of [
    [401, signIn],
    [403, signIn],
    [403, () => client.signOut()],
  ] as const) {
    refuse(status);
    const error = await work().then(
      () => null,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(PostshelfError);
    expect(error).toMatchObject({ code: 'refused', status, message: 'No.' });
  }
  await server.stop(true);
  expect(await client.signIn({ token: 'x' }).catch((error: unknown) => error)).toMatchObject({ code: 'unreachable' });
});
