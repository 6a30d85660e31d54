import { expect, test } from 'bun:test';
import { withoutBody } from '../../src/faces/rest/respond.ts';

test('a HEAD response with a Content-Length is made without reading the body', async () => {
  let isRead = false;
  const body = new ReadableStream(
    {
      pull() {
        isRead = true;
      },
    },
    { highWaterMark: 0 },
  );
  const answer = await withoutBody(new Response(body, { headers: { 'Content-Length': '1000000000' } }));
  expect(answer.body).toBeNull();
  expect(answer.headers.get('content-length')).toBe('1000000000');
  expect(isRead).toBe(false);
});

test('a HEAD response for a short body gets its Content-Length in bytes', async () => {
  const answer = await withoutBody(Response.json({ message: 'é' }, { status: 404 }));
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-length')).toBe('16');
});

test('a HEAD response without a body gets no Content-Length', async () => {
  const answer = await withoutBody(new Response(null, { status: 304, headers: { ETag: '"x"' } }));
  expect(answer.headers.has('content-length')).toBe(false);
  expect(answer.headers.get('etag')).toBe('"x"');
});
