import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The range of ports to choose from. It is below the ports that the kernel assigns to outgoing connections (32768 and
 * up on Linux), because such a connection could take a chosen port before the test uses it.
 */
const FIRST = 10_000;
const LAST = 32_000;

const given = new Set<number>();

/**
 * Returns a TCP port of the loopback address on which nothing listens at the moment. It is chosen at random, because
 * other test processes choose ports at the same time. One process never gets the same port twice.
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
