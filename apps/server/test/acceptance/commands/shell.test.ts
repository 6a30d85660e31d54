import { expect, test } from 'bun:test';
import { program } from '../support/program.ts';
import { command, removeFolder, scratchFolder, startServer } from '../support/server.ts';

test('a service under nohup continues when its terminal is closed, and still stops on SIGTERM', async () => {
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

test.each([
  ['one write', ['openapi']],
  ['many writes', ['gc', 'list']],
])('a command that makes %s to a closed pipe ends without a message', async (_, args) => {
  const dataDir = scratchFolder();
  try {
    await command(['migrate'], { DATA_DIR: dataDir });
    const environment = { ...program.environment, DATA_DIR: dataDir };
    // `true` exits without reading anything. The script prints only the command's exit code.
    const script = `{ { "$@"; echo "$?" >&3; } | exec true; } 3>&1`;
    const shell = Bun.spawn(['sh', '-c', script, 'sh', ...program.command, ...args], {
      cwd: program.cwd,
      env: environment,
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [code, complaints] = await Promise.all([
      new Response(shell.stdout).text(),
      new Response(shell.stderr).text(),
    ]);
    expect({ code, complaints }).toEqual({ code: '141\n', complaints: '' });
  } finally {
    removeFolder(dataDir);
  }
});

test('a command whose output cannot be written fails with the reason on one line', async () => {
  const shell = Bun.spawn(['sh', '-c', '"$@" >/dev/full', 'sh', ...program.command, 'version'], {
    cwd: program.cwd,
    env: program.environment,
    stderr: 'pipe',
  });
  expect(await new Response(shell.stderr).text()).toMatch(/^postshelf: standard output: ENOSPC: [^\n]*\n$/);
  expect(await shell.exited).toBe(1);
});
