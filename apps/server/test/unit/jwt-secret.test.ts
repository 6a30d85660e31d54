import { describe, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadJwtSecret } from '../../src/compose/host/secret-file.ts';

/** An empty folder for one test. */
async function scratchFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'postshelf-unit-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

describe('the secret that signs tokens', () => {
  test('is made once, long, and readable by its owner only', async () => {
    await using folder = await scratchFolder();
    const secret = await loadJwtSecret(folder.path);
    expect(secret).toMatch(/^[\w-]{64}$/);
    expect(await loadJwtSecret(folder.path)).toBe(secret);
    const { mode } = await stat(join(folder.path, 'jwt-secret'));
    expect(mode & 0o777).toBe(0o600);
    expect(await readdir(folder.path)).toEqual(['jwt-secret']);
  });

  test('differs between folders', async () => {
    await using one = await scratchFolder();
    await using two = await scratchFolder();
    expect(await loadJwtSecret(one.path)).not.toBe(await loadJwtSecret(two.path));
  });

  test('is the same for concurrent starts', async () => {
    await using folder = await scratchFolder();
    const secrets = await Promise.all(Array.from({ length: 20 }, () => loadJwtSecret(folder.path)));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder.path)).toEqual(['jwt-secret']);
    expect((await readFile(join(folder.path, 'jwt-secret'), 'utf8')).trim()).toBe(secrets[0] ?? '');
  });

  test('may be put there by an operator, with a line end', async () => {
    await using folder = await scratchFolder();
    await writeFile(join(folder.path, 'jwt-secret'), `${'s'.repeat(32)}\r\n`);
    expect(await loadJwtSecret(folder.path)).toBe('s'.repeat(32));
  });

  test.each([
    ['empty', ''],
    ['too short', 's'.repeat(31)],
    ['white space', ' '.repeat(100)],
  ])('is not made anew where the file is damaged, which would end all tokens: %s', async (_, content) => {
    await using folder = await scratchFolder();
    const path = join(folder.path, 'jwt-secret');
    await writeFile(path, content);
    await expect(loadJwtSecret(folder.path)).rejects.toThrow(`${path} contains no secret of at least 32 characters.`);
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  test('is not made if it cannot be kept', async () => {
    await using folder = await scratchFolder();
    await expect(loadJwtSecret(join(folder.path, 'missing'))).rejects.toThrow('ENOENT');
    await mkdir(join(folder.path, 'jwt-secret'));
    await expect(loadJwtSecret(folder.path)).rejects.toThrow('is a folder');
  });

  test('is not read from a draft that a killed process left', async () => {
    await using folder = await scratchFolder();
    const draft = join(folder.path, 'jwt-secret.1.abcdef');
    await writeFile(draft, 'half a sec');
    await chmod(draft, 0o600);
    expect(await loadJwtSecret(folder.path)).toHaveLength(64);
  });
});
