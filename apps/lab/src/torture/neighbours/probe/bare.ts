/** A server that does nothing, on the given `PORT`. If it keeps clients waiting, the machine is the cause. */
Bun.serve({ hostname: '127.0.0.1', port: Number(process.env.PORT), fetch: () => new Response('ok') });
