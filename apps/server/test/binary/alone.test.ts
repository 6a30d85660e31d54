import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '../../package.json';
import { freePort } from '../acceptance/support/server.ts';
import { until } from '../acceptance/support/until.ts';
import { binary, inEmptyFolder, run } from './program.ts';

test('the program prints its version', () =>
  inEmptyFolder(async (folder) => {
    const result = await run([binary, '--version'], folder);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    // The version is followed by the commit if the program was built from a clone.
    expect(result.stdout).toMatch(new RegExp(`^${RegExp.escape(version)}(?: \\([0-9a-f]{12}\\))?\\n$`));
    expect(readdirSync(folder)).toEqual([]);
  }));

test('the program contains the licenses of its dependencies', () =>
  inEmptyFolder(async (folder) => {
    const { code, stdout } = await run([binary, 'licenses'], folder);
    expect(code).toBe(0);
    expect(stdout).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
    expect(stdout).toBe(readFileSync(join(dirname(binary), 'THIRD_PARTY_NOTICES'), 'utf8'));
  }));

test('the program runs in a folder that has nothing else, with an empty environment', () =>
  inEmptyFolder(async (folder) => {
    const alone = join(folder, 'postshelf');
    copyFileSync(binary, alone);
    expect(await run([alone, 'migrate'], folder)).toMatchObject({ code: 0, stderr: '' });
    const made = await run([alone, 'workspace', 'create', '--name', 'Alone', '--json'], folder);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { id } = JSON.parse(made.stdout);
    const issued = await run([alone, 'token', 'create', '--workspace', id, '--json'], folder);
    expect(issued).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(folder).sort()).toEqual(['data', 'postshelf']);
    expect(readdirSync(join(folder, 'data')).sort()).toEqual(['jwt-secret', 'media', 'postshelf.db']);
  }));

test('the program ignores .env and bunfig.toml in the current folder', () =>
  inEmptyFolder(async (folder) => {
    const trap = join(folder, 'trap.ts');
    writeFileSync(trap, `require('node:fs').writeFileSync('${folder}/sprung', '');`);
    writeFileSync(join(folder, 'bunfig.toml'), `preload = ["${trap}"]\n[run]\npreload = ["${trap}"]\n`);
    for (const name of ['.env', '.env.local', '.env.production']) {
      writeFileSync(join(folder, name), `DATA_DIR=${folder}/elsewhere\nLOG_LEVEL=loud\n`);
    }
    const before = readdirSync(folder);
    expect(await run([binary, 'migrate'], folder)).toMatchObject({ code: 0, stderr: '' });
    expect(await run([binary, 'workspace', 'list'], folder)).toEqual({ code: 0, stdout: 'None yet.\n', stderr: '' });
    expect(readdirSync(folder).sort()).toEqual([...before, 'data'].sort());
  }));

test.each(['serve', 'worker'])('%s warns once that there is no ffmpeg, and continues', (command) =>
  inEmptyFolder(async (folder) => {
    const env = { PORT: String(await freePort()) };
    const child = Bun.spawn([binary, command], { cwd: folder, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    try {
      const lines: string[] = [];
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
        lines.push(...chunk.split('\n').filter((line) => line !== ''));
        if (lines.some((line) => line.includes('ffmpeg was not found'))) break;
      }
      expect(lines.filter((line) => line.includes('ffmpeg was not found'))).toHaveLength(1);
      expect(lines.filter((line) => /listening on|working on jobs/.test(line))).toHaveLength(1);
      child.kill();
      expect(await child.exited).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  }),
);

test('the program reports the source location of a fault', () =>
  inEmptyFolder(async (folder) => {
    expect(await run([binary, 'migrate'], folder, { DATA_DIR: folder })).toMatchObject({ code: 0 });
    using database = new Database(join(folder, 'postshelf.db'));
    database.run('pragma foreign_keys = off');
    database.run('drop table workspaces');
    const { code, stderr } = await run([binary, 'workspace', 'list'], folder, { DATA_DIR: folder });
    expect(code).toBe(1);
    expect(stderr).toMatch(/ executeQuery \(packages\/database\/src\/sqlite\/connection\/dialect\.ts:\d+:\d+\)/);
  }));

test('the program contains the guide and the reference', () =>
  inEmptyFolder(async (folder) => {
    const port = await freePort();
    const child = Bun.spawn([binary, 'serve'], { cwd: folder, env: { PORT: String(port) }, stdin: 'ignore' });
    try {
      await until('it listens', () =>
        fetch(`http://127.0.0.1:${port}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      const [guide, reference] = await Promise.all(
        ['guide', ''].map(async (page) => (await fetch(`http://127.0.0.1:${port}/docs${page && `/${page}`}`)).text()),
      );
      expect(guide).toContain('<h2 id="presigned-uploads">');
      expect(reference).toContain('docs/guide');
    } finally {
      child.kill('SIGKILL');
      await child.exited;
    }
  }));
