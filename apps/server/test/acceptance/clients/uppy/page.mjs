// This script uses Uppy in a page. The test bundles it for browsers with each version of Uppy, serves it, and waits
// for the result.
import AwsS3 from '@uppy/aws-s3';
import Uppy from '@uppy/core';

const { url, token, workspace, folder, version } = await (await fetch('/settings')).json();
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

async function call(path, body) {
  const response = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${answer.message}`);
  return answer.data;
}

const ids = new Map();

/** The address and headers with which Uppy sends a file. */
async function parametersOf({ id, name, size, type }) {
  const files = [{ name, size, mime: type, label: `By Uppy ${version}`, folder_id: folder }];
  const [upload] = await call(`/workspaces/${workspace}/media_contents/presign`, { files });
  ids.set(id, upload.id);
  return { method: upload.upload_method, url: upload.upload_url, headers: JSON.parse(upload.upload_headers) };
}

async function scenario() {
  const uppy = new Uppy({ id: 'uppy' });
  const progress = [];
  // In version 6, `signRequest` replaces `getUploadParameters`. It is called with a file's key instead of the file.
  const signing =
    version < 6
      ? { getUploadParameters: parametersOf }
      : { generateObjectKey: ({ id }) => id, signRequest: ({ key }) => parametersOf(uppy.getFile(key)) };
  uppy.use(AwsS3, { shouldUseMultipart: false, ...signing });
  uppy.on('upload-progress', (_file, { bytesUploaded }) => progress.push(bytesUploaded));
  for (const [name, type] of [
    ['beach.jpg', 'image/jpeg'],
    ['film.mp4', 'video/mp4'],
  ])
    uppy.addFile({ name, type, data: await (await fetch(`/${name}`)).blob() });
  const { successful, failed } = await uppy.upload();
  for (const { id } of successful) await call(`/media_contents/${ids.get(id)}/confirm`, {});
  return {
    failed: failed.map(({ name, error }) => `${name}: ${error}`),
    tags: successful.map(({ response }) => response.body?.etag ?? null),
    confirmed: successful.map(({ id }) => ids.get(id)),
    progress: progress.length,
  };
}

const result = await scenario().catch((error) => ({ thrown: String(error) }));
await fetch('/result', { method: 'POST', body: JSON.stringify(result) });
