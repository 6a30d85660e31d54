import { afterAll, describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { IncomingBody } from '../../src/body/incoming-body.ts';
import { createApi } from '../../src/index.ts';
import { createService } from '../../src/service.ts';
import { databases } from '../support/databases.ts';
import { startApi } from '../support/service.ts';
import { connect, requestOf } from '../support/sources.ts';

afterAll(databases.closeAll);

const MIB = 1024 * 1024;
const ADDRESSES = Array.from({ length: 12 }, (_, nth) => `192.0.2.${nth}`);

/** Calls `take` until it is refused. Returns how many calls were granted before. */
function untilRefused(take: () => void): number {
  for (let times = 0; times < 1_000; times += 1) {
    try {
      take();
    } catch (error) {
      expect(error).toMatchObject({ problem: { code: 'busy' } });
      return times;
    }
  }
  throw new Error('It was never refused.');
}

test('bodies of unauthenticated callers take no memory from those of authenticated callers', async () => {
  const service = createService((await startApi()).service);
  const bodyOf = (address: string, token: Uuid | null): IncomingBody => {
    const request = requestOf(new Blob(['x']).stream(), {});
    return new IncomingBody(service, { facts: { request, address }, holder: token, bytesIn: 0 });
  };
  for (const address of ADDRESSES) {
    untilRefused(() => bodyOf(address, null).hold(32 * 1024));
    untilRefused(() => bodyOf(address, null).expect(null));
  }
  const token = crypto.randomUUID() as Uuid;
  expect(untilRefused(() => bodyOf('192.0.2.1', token).hold(2 * MIB))).toBe(4);
  // The length of each body is unknown, so Bun may receive 1.7 MB of it.
  expect(untilRefused(() => bodyOf('192.0.2.1', token).expect(token))).toBe(23);
});

test('the memory of a body is charged to the caller’s token once the caller is known', async () => {
  const service = createService((await startApi()).service);
  const request = requestOf(new Blob(['x']).stream(), {});
  const expectOne = (caller: Uuid | null): IncomingBody => {
    const body = new IncomingBody(service, { facts: { request, address: '192.0.2.1' }, holder: null, bytesIn: 0 });
    body.expect(null);
    if (caller !== null) body.expect(caller);
    return body;
  };
  const token = crypto.randomUUID() as Uuid;
  expect(untilRefused(() => expectOne(token))).toBe(23);
  expect(untilRefused(() => expectOne(null))).toBe(9);
});

describe.each([
  ['JSON', 'media_library/folders', 'application/json', 4],
  ['NDJSON', 'posts/import', 'application/x-ndjson', 8],
])('unfinished %s bodies', (_, path, type, max) => {
  test(`are limited to ${max} per token and leave other tokens unaffected`, async () => {
    const api = await startApi();
    const app = createApi(api.service);
    const open = (token: string) => {
      const client = connect();
      const request = new Request(`http://127.0.0.1/v1/workspaces/${api.workspace.id}/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
        body: client.request.body,
      });
      return { client, answer: Promise.resolve(app.fetch(request)) };
    };
    const openRead = async (token: string) => {
      const opened = open(token);
      while (opened.client.asked === 0) await new Promise((resolve) => setImmediate(resolve));
      return opened;
    };
    const opened = await Promise.all(Array.from({ length: max }, () => openRead(api.token)));
    const refused = await open(api.token).answer;
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('Too many large request bodies are arriving for this token.');
    opened.push(await openRead(await api.tokenWith({})));
    for (const { client } of opened) client.end();
    await Promise.all(opened.map(({ answer }) => answer));
    const again = await openRead(api.token);
    again.client.end();
    expect((await again.answer).status).not.toBe(503);
  });
});
