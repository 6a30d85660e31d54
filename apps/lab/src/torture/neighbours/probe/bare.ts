/** A server that does nothing, on the given `PORT`: waits for it are the machine's share. */
Bun.serve({ hostname: '127.0.0.1', port: Number(process.env.PORT), fetch: () => new Response('ok') });
