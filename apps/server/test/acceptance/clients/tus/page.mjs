// This script uses Uppy in a page. The test bundles it for browsers, serves it, and waits for the result.
import Uppy from '@uppy/core';
import Tus from '@uppy/tus';

const { url, token, workspace, folder, size, chunkSize } = await (await fetch('/settings')).json();

/** Returns a video of the wanted size, which has a box of zeros at its end. */
async function video() {
  const parts = await Promise.all(['head', 'tail'].map(async (name) => (await fetch(`/${name}`)).blob()));
  const [head, tail] = parts;
  return new File([head, new Uint8Array(size - head.size - tail.size), tail], 'film.mp4', { type: 'video/mp4' });
}

async function scenario() {
  const uppy = new Uppy().use(Tus, {
    endpoint: `${url}/v1/workspaces/${workspace}/uploads`,
    headers: () => ({ Authorization: `Bearer ${token}` }),
    chunkSize,
  });
  uppy.addFile({ name: 'film.mp4', data: await video(), meta: { label: 'By Uppy', folder_id: folder } });
  const { successful, failed } = await uppy.upload();
  return {
    ids: successful.map(({ uploadURL }) => uploadURL.split('/').at(-1)),
    failed: failed.map(({ error }) => error),
  };
}

const result = await scenario().catch((error) => ({ thrown: String(error) }));
await fetch('/result', { method: 'POST', body: JSON.stringify(result) });
