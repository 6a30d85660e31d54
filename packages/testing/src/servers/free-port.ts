import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/**
 * The range of ports to choose from. It is below the ports that the kernel assigns to outgoing connections (32768 and
 * up on Linux), because such a connection could take a chosen port before the test uses it.
 */
const FIRST = 10_000;
const LAST = 32_000;

const given = new Set<number>();

/** A folder that all processes of one `npm test` share (.dev/scratch.mjs). */
const shared = process.env.POSTSHELF_TEST_SHARED;

/**
 * Returns a TCP port of the loopback address on which nothing listens at the moment. No process of the same `npm test`
 * gets the port again, so a server that a test has stopped can be started again on its port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (reserve(port) && (await isFree(port))) return port;
  }
}

/** Reserves a port for this process by an empty file of that name. @returns whether nobody had reserved the port */
function reserve(port: number): boolean {
  if (given.has(port)) return false;
  given.add(port);
  if (shared === undefined) return true;
  const folder = join(shared, 'ports');
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, String(port)), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((answer, fail) => {
    const probe = createServer();
    probe.once('error', (error) => ('code' in error && error.code === 'EADDRINUSE' ? answer(false) : fail(error)));
    probe.listen(port, '127.0.0.1', () => probe.close(() => answer(true)));
  });
