import { createServer } from 'node:net';

/** A TCP port of the loopback address that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const address = probe.address();
  await new Promise<unknown>((done) => probe.close(done));
  if (address === null || typeof address === 'string') throw new Error('The probe socket has no port.');
  return address.port;
}
