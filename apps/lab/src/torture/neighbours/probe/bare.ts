/** A server that does nothing, on the `PORT` it is given: how long it lets wait is the machine's doing. */
Bun.serve({ hostname: '127.0.0.1', port: Number(process.env.PORT), fetch: () => new Response('ok') });
