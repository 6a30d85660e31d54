import { expect, setDefaultTimeout, test } from 'bun:test';
import { program } from '../support/program.ts';
import { removeFolder, scratchFolder, startServer } from '../support/server.ts';

setDefaultTimeout(60_000);

test('nohup: a service goes on when its terminal is closed, and still stops by SIGTERM', async () => {
  const dataDir = scratchFolder();
  try {
    const underNohup = { ...program, command: ['nohup', ...program.command] };
    const server = await startServer(dataDir, {}, ['serve'], underNohup);
    process.kill(server.pid, 'SIGHUP');
    for (let time = 0; time < 3; time += 1) expect((await fetch(`${server.url}/ready`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toBe(0);
  } finally {
    removeFolder(dataDir);
  }
});
