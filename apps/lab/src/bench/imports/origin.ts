// Where the images come from: the one file, at every address.
import { env } from 'node:process';

const photo = await Bun.file(env.FILE ?? '').bytes();

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(env.PORT),
  fetch: () => new Response(photo, { headers: { 'Content-Type': 'image/jpeg' } }),
});
