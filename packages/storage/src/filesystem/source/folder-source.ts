import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { CHANGED, GONE, type OpenedFile, type Source, type SourceEntry, Unreadable } from '@postshelf/domain';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Flags that follow no link and don't wait for a pipe's writer, in case a link or a pipe has replaced the file. */
const AS_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

const CHUNK = 1024 * 1024;

/**
 * The character that replaces bytes that aren't UTF-8 when a name is decoded. A file with such a name can't be opened
 * by its decoded name.
 */
const REPLACEMENT = '\ufffd';

/**
 * Opens a folder of this machine as a source of files to import.
 *
 * @throws the system's error if it isn't a folder, or this user isn't allowed to read it
 */
export async function openFolderSource(folder: string): Promise<Source> {
  const root = await realpath(folder);
  await (await opendir(root)).close();
  return {
    place: root,
    entries: (reasonToLeaveOut) => entriesOf(root, '', reasonToLeaveOut),
    open: (path) => openFile(root, path),
    close: () => undefined,
  };
}

async function* entriesOf(
  root: string,
  folder: string,
  reasonToLeaveOut: (path: string) => string | null,
): AsyncGenerator<SourceEntry> {
  const names = await namesIn(join(root, folder));
  if ('refused' in names) return yield { kind: 'refused', path: folder, reason: names.refused };
  for (const name of names) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const reason = reasonToLeaveOut(path);
    if (reason !== null) {
      yield { kind: 'left_out', path, reason };
      continue;
    }
    const found = await lstat(join(root, path)).catch((error: NodeJS.ErrnoException) => error);
    if (found instanceof Error) yield { kind: 'refused', path, reason: sentenceOf(found, name) };
    else if (found.isDirectory()) yield* entriesOf(root, path, reasonToLeaveOut);
    else if (found.isFile()) yield { kind: 'file', path, size: found.size, modifiedAt: Math.floor(found.mtimeMs) };
    else {
      const what = found.isSymbolicLink() ? 'It is a symbolic link.' : 'It is not a regular file.';
      yield { kind: 'left_out', path, reason: what };
    }
  }
}

/** Returns only the names, so that a folder with a million files takes little memory. */
async function namesIn(folder: string): Promise<Iterable<string> | { readonly refused: string }> {
  try {
    const names: string[] = [];
    for await (const { name } of await opendir(folder)) names.push(name);
    return names;
  } catch (error) {
    return { refused: sentenceOf(error as NodeJS.ErrnoException) };
  }
}

async function openFile(root: string, path: string): Promise<OpenedFile> {
  const localPath = join(root, path);
  const file = await open(localPath, AS_FILE).catch((error: NodeJS.ErrnoException) => {
    throw new Unreadable(sentenceOf(error));
  });
  const found = await file.stat();
  if (!found.isFile()) {
    await file.close();
    throw new Unreadable('It is no longer a regular file.');
  }
  return {
    size: found.size,
    modifiedAt: Math.floor(found.mtimeMs),
    chunks: chunksOf(file, found),
    localPath,
    close: () => file.close(),
  };
}

interface State {
  readonly size: number;
  readonly mtimeMs: number;
}

async function* chunksOf(file: FileHandle, before: State): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(Math.min(CHUNK, Math.max(before.size, 1)));
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at).catch((error: NodeJS.ErrnoException) => {
      throw new Unreadable(sentenceOf(error));
    });
    if (bytesRead === 0) break;
    at += bytesRead;
    // The file has grown. Without this check, a file that keeps growing would be read without end.
    if (at > before.size) break;
    yield buffer.subarray(0, bytesRead);
  }
  const after = await file.stat();
  if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) throw new Unreadable(CHANGED, true);
}

function sentenceOf({ code = '', message }: NodeJS.ErrnoException, name = ''): string {
  if (code === 'ENOENT' && name.includes(REPLACEMENT)) {
    return 'Its name is not UTF-8: rename it, for example with convmv.';
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') return GONE;
  if (code === 'ELOOP') return 'It has become a symbolic link.';
  if (code === 'EACCES' || code === 'EPERM') return 'Postshelf has no permission to read it.';
  return `It can't be read: ${message}.`;
}
