import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { SilentConnections } from '../../src/http/descriptors/silent-connections.ts';

test.skipIf(process.platform !== 'linux')('as many connections wait to be accepted as the kernel lets', () => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
  try {
    const most = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
    expect(new SilentConnections(server.port ?? 0, 1024).lengthenQueue()).toBe(Math.min(4096, most));
  } finally {
    server.stop(true);
  }
  expect(new SilentConnections(1, 1024).lengthenQueue()).toBeNull();
});
