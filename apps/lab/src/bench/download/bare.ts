// The baseline for downloads: a bare server that returns `Bun.file` for the path in the URL.
import { env } from 'node:process';

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(env.PORT),
  fetch(request) {
    const { pathname } = new URL(request.url);
    return pathname === '/' ? new Response('ready') : new Response(Bun.file(`${env.FOLDER}${pathname}`));
  },
});
