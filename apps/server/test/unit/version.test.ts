import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { checkedOut } from '../../src/telemetry/version.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postshelf-version-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: readonly string[]): string => {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  const run = Bun.spawnSync(['git', '-C', folder, ...identity, ...args], { stdout: 'pipe', stderr: 'pipe' });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return run.stdout.toString().trim();
};

function commitOnce(): string {
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'One');
  return git('rev-parse', 'HEAD');
}

const hasGit = hasPrograms(['git'], 'the commit of a repository');

test.skipIf(!hasGit)('the checked-out commit is read from a branch, a detached head and packed refs', () => {
  const commit = commitOnce();
  expect(checkedOut(folder)).toBe(commit);
  git('pack-refs', '--all');
  expect(checkedOut(folder)).toBe(commit);
  git('checkout', '-q', '--detach');
  expect(checkedOut(folder)).toBe(commit);
});

test.skipIf(!hasGit)('the checked-out commit is read from a linked work tree', () => {
  const commit = commitOnce();
  const beside = join(folder, 'beside');
  git('worktree', 'add', '-q', '-b', 'other', beside);
  expect(checkedOut(beside)).toBe(commit);
  git('pack-refs', '--all');
  expect(checkedOut(beside)).toBe(commit);
});

test('the checked-out commit is null without a readable repository', () => {
  expect(checkedOut(folder)).toBeNull();
  mkdirSync(join(folder, '.git'));
  expect(checkedOut(folder)).toBeNull();
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/nowhere\n');
  expect(checkedOut(folder)).toBeNull();
  writeFileSync(join(folder, '.git/HEAD'), 'anything at all');
  expect(checkedOut(folder)).toBeNull();
});
