import { afterEach, describe, expect, test } from 'bun:test';
import { MAX_LISTED_TEXT, MAX_POST_TEXT_LENGTH } from '@postshelf/domain';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { databases } from '../../support/databases.ts';
import { startApi } from '../../support/service.ts';

afterEach(databases.closeAll);

/** Maximum bytes of a page in addition to the texts. */
const ENVELOPE = 100_000;

describe('a page of posts', () => {
  // The last row has a text that only a database from an older version of the service may contain.
  test.each([
    ['quotes', '"', 2],
    ['four-byte characters', '🌞', 4],
    ['control characters', '\u0001', 6],
  ])('shows 10,000 characters of a text and reports longer texts as cut: %s', async (_, character, bytes) => {
    const { ports, workspace, send } = await startApi();
    const profile = await addProfile(ports, workspace.id);
    const text = character.repeat(MAX_POST_TEXT_LENGTH);
    const short = await addPost(ports, profile, { text: 'short' });
    for (let n = 0; n < 99; n++) await addPost(ports, profile, { text });
    const response = await send('GET', `/v1/workspaces/${workspace.id}/posts?per_page=100`);
    const body = await response.text();
    expect(response.status).toBe(200);
    expect(Buffer.byteLength(body)).toBeLessThan(990_000 * bytes + ENVELOPE);
    expect(Buffer.byteLength(body)).toBeGreaterThan(990_000 * bytes);
    const { data, meta } = JSON.parse(body);
    expect(data).toHaveLength(100);
    expect(meta.cut_texts).toHaveLength(99);
    expect(meta.cut_texts).not.toContain(short.id);
    for (const post of data) expect(post.id === short.id || text.startsWith(post.text)).toBe(true);
    const [cut] = meta.cut_texts;
    expect(await (await send('GET', `/v1/posts/${cut}`)).json()).toMatchObject({ data: { id: cut, text } });
  });

  test('reports no post as cut if its text is complete', async () => {
    const { ports, workspace, send } = await startApi();
    const profile = await addProfile(ports, workspace.id);
    await addPost(ports, profile, { text: 'x'.repeat(MAX_LISTED_TEXT) });
    const { meta } = await (await send('GET', `/v1/workspaces/${workspace.id}/posts`)).json();
    expect(meta).not.toHaveProperty('cut_texts');
  });
});

describe('the text of a new post', () => {
  test.each(['\u0000', '\u0001', '\u001b', '\u007f', '\u0085'])(
    'is rejected with the control character %j',
    async (character) => {
      const { ports, workspace, send } = await startApi();
      const { id: profile } = await addProfile(ports, workspace.id);
      const json = { profile, published_at: '2026-01-01T00:00:00Z', text: `a${character}b` };
      const response = await send('POST', `/v1/workspaces/${workspace.id}/posts`, { json });
      expect(response.status).toBe(422);
      const sentence = 'The text field must not contain control characters or unpaired surrogates.';
      expect(await response.json()).toEqual({ message: sentence, errors: { text: [sentence] } });
    },
  );

  test('may contain tabs and line breaks', async () => {
    const { ports, workspace, send } = await startApi();
    const { id: profile } = await addProfile(ports, workspace.id);
    const text = 'one\ttwo\r\nthree\n';
    const json = { profile, published_at: '2026-01-01T00:00:00Z', text };
    const response = await send('POST', `/v1/workspaces/${workspace.id}/posts`, { json });
    expect(await response.json()).toMatchObject({ data: { text } });
  });
});
