// The origin of imports, which returns the same file at every address.
import { env } from 'node:process';

const file = await Bun.file(env.FILE ?? '').bytes();

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(env.PORT),
  fetch: () => new Response(file, { headers: { 'Content-Type': env.TYPE ?? 'image/jpeg' } }),
});
