/** A server on the given `PORT` that only answers `ok`. If clients have to wait for it, the machine is busy. */
Bun.serve({ hostname: '127.0.0.1', port: Number(process.env.PORT), fetch: () => new Response('ok') });
