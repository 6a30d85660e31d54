/** A server that does nothing, on the given `PORT`: waits for it are caused by the machine. */
Bun.serve({ hostname: '127.0.0.1', port: Number(process.env.PORT), fetch: () => new Response('ok') });
