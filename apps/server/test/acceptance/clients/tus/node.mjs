// A Node program with tus-js-client, which interrupts an upload and continues it.
import { createReadStream } from 'node:fs';
import { FileUrlStorage, Upload } from 'tus-js-client';

const { url, token, workspace, path, chunkSize, store } = JSON.parse(process.argv[2]);

const offsets = [];

function upload(isInterrupted) {
  return new Promise((resolve, reject) => {
    const sending = new Upload(createReadStream(path), {
      endpoint: `${url}/v1/workspaces/${workspace}/uploads`,
      headers: { Authorization: `Bearer ${token}` },
      metadata: { filename: 'film.mp4' },
      chunkSize,
      urlStorage: new FileUrlStorage(store),
      onBeforeRequest: (request) => {
        if (request.getMethod() === 'PATCH') offsets.push(Number(request.getHeader('Upload-Offset')));
      },
      onChunkComplete: () => isInterrupted && sending.abort().then(resolve, reject),
      onSuccess: ({ lastResponse }) => resolve(lastResponse.getHeader('Postshelf-Media-Id')),
      onError: reject,
    });
    sending.findPreviousUploads().then(([previous]) => {
      if (previous) sending.resumeFromPreviousUpload(previous);
      sending.start();
    }, reject);
  });
}

await upload(true);
process.stdout.write(JSON.stringify({ id: await upload(false), offsets }));
