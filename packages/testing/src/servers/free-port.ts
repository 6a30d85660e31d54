import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that the kernel gives to outgoing connections (32768 and up on Linux), of which one could take it meanwhile. */
const FIRST = 10_000;
const LAST = 32_000;

const given = new Set<number>();

/**
 * A TCP port of the loopback address that nobody listens on at this moment. By chance rather than in order, as other
 * processes of tests look for one at the same time; never the same twice in one process.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((answer, fail) => {
    const probe = createServer();
    probe.once('error', (error) => ('code' in error && error.code === 'EADDRINUSE' ? answer(false) : fail(error)));
    probe.listen(port, '127.0.0.1', () => probe.close(() => answer(true)));
  });
