import { expect, setSystemTime, test } from 'bun:test';
import type { MediaItem, PostshelfClient } from '@postshelf/client';
import { createSignedLinks, plainLink } from '../../src/links/signed-links.ts';

const item = (id: string, workspace = 'private') =>
  ({ id, full_name: `${workspace}/${id}/a.jpg`, link: `https://x/${id}`, thumbnail: null }) as unknown as MediaItem;

/** Returns a service that has the workspaces `private` and `open`, and counts its answers. */
function service() {
  const asked: (readonly string[])[] = [];
  const state = { asked, isDown: false, renewals: 0 };
  const me = {
    data: {
      workspaces: [
        { id: 'private', links: 'signed' },
        { id: 'open', links: 'public' },
      ],
    },
  };
  const createMany = async ({ ids }: { ids: readonly string[] }) => {
    if (state.isDown) throw new Error('down');
    asked.push(ids);
    const data = ids
      .filter((id) => id !== 'gone')
      .map((id) => ({ id, link: `https://x/${id}?${asked.length}`, previews: [] }));
    return { data };
  };
  const trpc = { me: { get: { query: async () => me } }, links: { createMany: { mutate: createMany } } };
  const renew = (): void => {
    state.renewals += 1;
  };
  return { state, links: createSignedLinks(trpc as unknown as PostshelfClient['trpc'], renew) };
}

const items = (count: number): MediaItem[] => Array.from({ length: count }, (_, at) => item(String(at)));
const linksOf = (all: readonly MediaItem[]): string[] => all.map(({ link }) => link);

test('links of items that are read together are signed in as few calls as possible, and cached', async () => {
  const { state, links } = service();
  const [page, one] = await Promise.all([links.sign(async () => items(120)), links.sign(async () => [item('7')])]);
  expect(state.asked.map((ids) => ids.length)).toEqual([100, 20]);
  expect(page.every(({ link }) => link.includes('?'))).toBe(true);
  expect(linksOf(one)).toEqual([page[7]?.link ?? '']);
  expect(linksOf(await links.sign(async () => items(120)))).toEqual(linksOf(page));
  expect(state.asked).toHaveLength(2);
  expect(plainLink(one[0]?.link ?? '')).toBe('https://x/7');
  links.end();
});

test('links of public workspaces and of deleted items are left unchanged', async () => {
  const { state, links } = service();
  const shown = await links.sign(async () => [item('1', 'open'), item('gone')]);
  expect(linksOf(shown)).toEqual(['https://x/1', 'https://x/gone']);
  expect(state.asked).toEqual([['gone']]);
  links.end();
});

test('links can be signed after an earlier failure', async () => {
  const { state, links } = service();
  state.isDown = true;
  expect(await links.sign(async () => items(2)).catch(String)).toContain('down');
  state.isDown = false;
  expect(linksOf(await links.sign(async () => items(1)))).toEqual(['https://x/0?1']);
  links.end();
});

test('a read that fails leaves the signatures of the other items as they are', async () => {
  const { state, links } = service();
  const [before] = await links.sign(async () => items(1));
  expect(await links.sign(() => Promise.reject(new Error('cancelled'))).catch(String)).toContain('cancelled');
  expect(await links.sign(async () => items(1))).toEqual([before as MediaItem]);
  expect(state.asked).toHaveLength(1);
  links.end();
});

test('signatures from before the computer slept are not used, and all links are renewed', async () => {
  const { state, links } = service();
  try {
    const now = Date.now();
    setSystemTime(now);
    await links.sign(async () => items(2));
    setSystemTime(now + 29 * 60_000);
    await links.sign(async () => items(2));
    expect([state.asked.length, state.renewals]).toEqual([1, 0]);
    // No timer has gone off meanwhile.
    setSystemTime(now + 31 * 60_000);
    expect(linksOf(await links.sign(async () => items(1)))).toEqual(['https://x/0?2']);
    expect(state.renewals).toBe(1);
  } finally {
    setSystemTime();
    links.end();
  }
});
