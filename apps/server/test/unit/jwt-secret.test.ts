import { describe, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { loadJwtSecret } from '../../src/compose/host/secret-file.ts';

/** An empty folder for one test. */
async function scratchFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'postshelf-unit-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

describe('the secret that signs tokens', () => {
  test('is generated once, has 64 characters, and is readable only by its owner', async () => {
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

  test('is the same for processes that start concurrently', async () => {
    await using folder = await scratchFolder();
    const secrets = await Promise.all(Array.from({ length: 20 }, () => loadJwtSecret(folder.path)));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder.path)).toEqual(['jwt-secret']);
    expect((await readFile(join(folder.path, 'jwt-secret'), 'utf8')).trim()).toBe(secrets[0] ?? '');
  });

  test('can come from a file that an operator wrote, with a line break at its end', async () => {
    await using folder = await scratchFolder();
    await writeFile(join(folder.path, 'jwt-secret'), `${'s'.repeat(32)}\r\n`);
    expect(await loadJwtSecret(folder.path)).toBe('s'.repeat(32));
  });

  test.each([
    ['is empty', ''],
    ['is too short', 's'.repeat(31)],
    ['has only white space', ' '.repeat(100)],
  ])('is not replaced if its file %s, because that would invalidate all tokens', async (_, content) => {
    await using folder = await scratchFolder();
    const path = join(folder.path, 'jwt-secret');
    await writeFile(path, content);
    expect(await outcomeOf(loadJwtSecret(folder.path))).toThrow(
      `${path} contains no secret of at least 32 characters.`,
    );
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  test('is not generated if it cannot be stored', async () => {
    await using folder = await scratchFolder();
    expect(await outcomeOf(loadJwtSecret(join(folder.path, 'missing')))).toThrow('ENOENT');
    await mkdir(join(folder.path, 'jwt-secret'));
    expect(await outcomeOf(loadJwtSecret(folder.path))).toThrow('is a folder');
  });

  test('is not read from a draft that a killed process left behind', async () => {
    await using folder = await scratchFolder();
    const draft = join(folder.path, 'jwt-secret.1.abcdef');
    await writeFile(draft, 'half a sec');
    await chmod(draft, 0o600);
    expect(await loadJwtSecret(folder.path)).toHaveLength(64);
  });
});
