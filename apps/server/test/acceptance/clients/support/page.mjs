// This script uses the client in a page. The test bundles it for the browser, serves it, and waits for the result.
import { checkFile, createPostshelfClient, PostshelfError } from '@postshelf/client';

const { url, token, workspace } = await (await fetch('/settings')).json();
const client = createPostshelfClient({ baseUrl: url, token });

async function failure(call) {
  try {
    return { resolved: await call() };
  } catch (error) {
    const { code, status, message, errors } = error;
    return { isPostshelfError: error instanceof PostshelfError, code, status, message, errors };
  }
}

async function scenario() {
  const video = new File([await (await fetch('/film.mp4')).blob()], 'Kino "1".mp4', { type: 'video/mp4' });
  const text = new File(['no picture'], 'a.jpg', { type: 'image/jpeg' });
  const uploading = [];
  const items = await client.upload(workspace, [video, { name: 'again.mp4', data: video }], {
    label: 'From a page',
    onProgress: (progress) => uploading.push(progress),
  });
  const putting = [];
  const presigned = await client.uploadPresigned(workspace, video, {
    onProgress: (progress) => putting.push(progress),
  });
  const leaving = new AbortController();
  const pages = [];
  for await (const { data } of client.pages(client.trpc.media.list, { workspace, per_page: 2 }))
    pages.push(data.length);
  return {
    checked: await checkFile(video, ['x.post']),
    items,
    uploading,
    presigned,
    putting,
    pages,
    created: await client.trpc.folders.create.mutate({ workspace, name: 'Made in a page' }),
    ready: await client.waitUntilReady(presigned.id),
    text: await failure(() => client.upload(workspace, text)),
    aborted: await failure(() =>
      client.upload(workspace, video, { signal: leaving.signal, onProgress: () => leaving.abort() }),
    ),
    unreachable: await failure(() =>
      createPostshelfClient({ baseUrl: 'http://127.0.0.1:1', token, repeats: 0 }).upload(workspace, text),
    ),
    // Browsers don't have these globals of Node and Bun.
    globals: [typeof process, typeof Bun, typeof Buffer],
  };
}

const result = await failure(scenario);
await fetch('/result', { method: 'POST', body: JSON.stringify(result) });
