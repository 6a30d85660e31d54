import { expect } from 'bun:test';
import { jpeg } from '../../support/fixtures.ts';
import { file } from '../../support/multipart.ts';
import type { Reply } from '../../support/reply.ts';
import type { MediaItem } from '../../support/shapes.ts';
import type { World } from '../../support/world.ts';

export const upload = (world: World, bytes: Uint8Array = jpeg()): Promise<Reply> =>
  world.upload([file('beach.jpg', bytes)]);

let folders = 0;

/** Creates a folder: a change that needs the database, but not the storage. */
export const makeFolder = (world: World): Promise<Reply> => {
  folders += 1;
  return world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: `Folder ${folders}` } });
};

/** Expects every acknowledged file to be stored, byte for byte. */
export async function expectKept(world: World, items: readonly MediaItem[], bytes: Uint8Array = jpeg()): Promise<void> {
  for (const item of items) {
    expect((await world.call(`GET /media_contents/${item.id}`)).json).toEqual({ data: item });
    const response = await fetch(item.link);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
  }
}

/**
 * Expects that an item, a list and a file can be read. With a token that hasn't been used before, this must work even
 * if the service can't record the token's first use.
 */
export async function expectReads(world: World, item: MediaItem, token: string): Promise<void> {
  expect((await world.call(`GET /media_contents/${item.id}`, { token })).json).toEqual({ data: item });
  expect((await world.call('GET /workspaces/{workspace}/media_contents', { token })).status).toBe(200);
  const response = await fetch(item.link);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
}
