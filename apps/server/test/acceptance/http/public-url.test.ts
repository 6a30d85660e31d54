import { expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { World } from '../support/world.ts';

test('links of items and pages begin with PUBLIC_URL and work below it', async () => {
  const outside = 'https://example.org/shelf';
  const world = await World.open({ PUBLIC_URL: `${outside}/` });
  try {
    const item = await world.storeOne(file('beach.png', png()));
    expect(item.link).toBe(`${outside}/files/${item.full_name}`);
    expect((await world.call(`GET ${item.link.slice(outside.length)}`, { token: null })).status).toBe(200);
    const reply = await world.call('GET /workspaces/{workspace}/media_contents');
    const path = `${outside}/v1/workspaces/${world.ids.workspace}/media_contents`;
    expect(at(reply.json, 'meta', 'path')).toBe(path);
    expect(String(at(reply.json, 'links', 'first'))).toStartWith(`${path}?`);
  } finally {
    await world.close();
  }
});
