// The baseline for imports: Bun's own server, which fetches the URL in the body, writes the file, and syncs the file
// and its folder before it answers. It doesn't restrict the addresses that it fetches, check a token, inspect or hash
// the file, or use a database.
import { open } from 'node:fs/promises';
import { join } from 'node:path';

const { PORT, FOLDER = '' } = process.env;
const folder = await open(FOLDER);

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  async fetch(request) {
    if (request.method === 'GET') return new Response('ready');
    const { url } = (await request.json()) as { readonly url: string };
    const { body } = await fetch(url);
    if (!body) return new Response(null, { status: 502 });
    const id = Bun.randomUUIDv7();
    const file = await open(join(FOLDER, id), 'wx');
    for await (const chunk of body) await file.write(chunk);
    await file.sync();
    await file.close();
    await folder.sync();
    return Response.json({ data: [{ id }] }, { status: 201 });
  },
});
