// The server with which an upload is compared: Bun's own server, which writes the raw body to a new file, and syncs the
// file and its folder before it answers. It doesn't parse multipart bodies, inspect files, check tokens or store rows.
// If HASHES is set, it computes the SHA-256.
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const { PORT, FOLDER = '', HASHES } = process.env;
const folder = await open(FOLDER);

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  async fetch(request) {
    if (!request.body) return new Response('ready');
    const id = Bun.randomUUIDv7();
    const file = await open(join(FOLDER, id), 'wx');
    const hash = HASHES ? new Bun.CryptoHasher('sha256') : null;
    for await (const chunk of request.body) {
      hash?.update(chunk);
      await file.write(chunk);
    }
    await file.sync();
    await file.close();
    await folder.sync();
    return Response.json({ data: [{ id, sha256: hash?.digest('hex') }] }, { status: 201 });
  },
});
