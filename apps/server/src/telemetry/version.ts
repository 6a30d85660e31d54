import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { version } from '../../package.json';

/** A constant of the build (.dev/build.mjs). It is undefined if the program runs from source. */
declare const POSTSHELF_COMMIT: string | undefined;

export { version };

/** Returns this program's version and its commit (40 hex digits), which is null if it isn't known. */
export const build = (): { readonly version: string; readonly commit: string | null } => ({
  version,
  commit: commit(),
});

export function versionText(): string {
  const known = commit();
  return known === null ? version : `${version} (${known.slice(0, 12)})`;
}

let found: string | null | undefined;

function commit(): string | null {
  found ??=
    typeof POSTSHELF_COMMIT === 'string'
      ? asCommit(POSTSHELF_COMMIT)
      : checkedOut(join(import.meta.dir, '../../../..'));
  return found;
}

const asCommit = (text: string | undefined): string | null => /^[0-9a-f]{40,64}$/.exec(text?.trim() ?? '')?.[0] ?? null;

/**
 * Returns the checked-out commit; null if the folder isn't a repository. It is read from git's files, because git may
 * not be installed.
 */
export function checkedOut(root: string): string | null {
  // In a linked work tree, `.git` is a file that contains the path of the actual git folder.
  const pointer = /^gitdir: (.+)$/m.exec(read(join(root, '.git')) ?? '')?.[1];
  const folder = pointer === undefined ? join(root, '.git') : resolve(root, pointer);
  const head = read(join(folder, 'HEAD'));
  const name = /^ref: (refs\/\S+)$/m.exec(head ?? '')?.[1];
  if (name === undefined) return asCommit(head);
  const shared = resolve(folder, read(join(folder, 'commondir'))?.trim() ?? '.');
  const loose = read(join(folder, name)) ?? read(join(shared, name));
  if (loose !== undefined) return asCommit(loose);
  const packed = read(join(shared, 'packed-refs'))?.split('\n') ?? [];
  return asCommit(packed.find((line) => line.endsWith(` ${name}`))?.split(' ', 1)[0]);
}

/** Reads a file; returns undefined if it can't be read, because a start must not fail if the commit isn't found. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether this is the compiled program, as opposed to the source. */
export const isOneFile = (): boolean => typeof POSTSHELF_COMMIT === 'string';
