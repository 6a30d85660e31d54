import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { at } from '../support/reply.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(30_000);

const publicUrls = ['https://media.example.org/', 'https://example.org/shelf'];

for (const publicUrl of publicUrls) {
  describe(`PUBLIC_URL=${publicUrl}`, () => {
    let world: World;
    const outside = publicUrl.replace(/\/$/, '');
    beforeAll(async () => {
      world = await World.open({ PUBLIC_URL: publicUrl });
    });
    afterAll(() => world.close());

    test('links of media begin with it, and the path behind it is the one that this process serves', async () => {
      const item = await world.storeOne(file('beach.png', png()));
      expect(item.link).toBe(`${outside}/files/${item.full_name}`);
      const reply = await world.call(`GET ${item.link.slice(outside.length)}`, { token: null });
      expect(reply.status).toBe(200);
    });

    test('addresses of pages begin with it', async () => {
      const reply = await world.call('GET /workspaces/{workspace}/media_contents');
      const path = `${outside}/v1/workspaces/${world.ids.workspace}/media_contents`;
      expect(at(reply.json, 'meta', 'path')).toBe(path);
      expect(String(at(reply.json, 'links', 'first'))).toStartWith(`${path}?`);
    });
  });
}
