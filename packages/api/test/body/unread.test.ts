import { afterAll, expect, test } from 'bun:test';
import { createApi } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';

afterAll(databases.closeAll);

const BODY = 'x'.repeat(1024 * 1024);

test('request bodies that wait while their token is looked up are limited to 40 MB per token', async () => {
  const api = await startApi();
  const { tokens } = api.service.ports;
  const found = Promise.withResolvers<void>();
  const find: typeof tokens.find = (id) => found.promise.then(() => tokens.find(id));
  const slow = new Proxy(tokens, { get: (target, name) => (name === 'find' ? find : Reflect.get(target, name)) });
  const app = createApi({ ...api.service, ports: { ...api.service.ports, tokens: slow } });
  const send = (token: string) =>
    app.fetch(
      new Request(`http://127.0.0.1/v1/workspaces/${api.workspace.id}/media_library/folders`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Content-Length': String(BODY.length),
        },
        body: BODY,
      }),
    );
  const statuses: number[] = [];
  const note = (response: Response): void => void statuses.push(response.status);
  const all = Array.from({ length: 60 }, () => Promise.resolve(send(api.token)).then(note));
  await Promise.race(all);
  await Bun.sleep(0);
  expect(statuses).toEqual(Array(20).fill(503));
  // A request with another token is still accepted. It gets 400, because its body isn't valid JSON.
  const other = Promise.resolve(send(await api.tokenWith({})));
  found.resolve();
  expect((await other).status).toBe(400);
  await Promise.all(all);
  // The reserved memory was released.
  const again = await Promise.all(Array.from({ length: 3 }, () => send(api.token)));
  expect(again.map(({ status }) => status)).toEqual([400, 400, 400]);
});
