import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Refused } from './refused.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

const AS_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/**
 * The flags for opening a file. If a pipe has replaced the file, O_NONBLOCK keeps `open` from waiting for a writer.
 */
const AS_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Returns the path at which Linux finds an open folder, even after it has been moved. */
const opened = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/**
 * Opens a file below a folder for reading. It opens the folders of the path one by one, each relative to the one
 * before, and follows no symbolic links, so that concurrent changes can't lead out of the folder. Then it checks that
 * the opened file is at the path.
 *
 * @param folder the real path of the folder
 * @param path relative to the folder, or absolute below it
 * @throws Refused if the path leads elsewhere, or to something other than a file
 */
export async function openBelow(folder: string, path: string): Promise<FileHandle> {
  const names = namesIn(folder, path);
  const last = names.pop();
  if (last === undefined) throw outside(path);
  let at = await openOne(folder, AS_FOLDER, path);
  try {
    for (const name of names) {
      const next = await openOne(join(opened(at), name), AS_FOLDER, path);
      await at.close();
      at = next;
    }
    const place = join(opened(at), last);
    // The type is checked before opening, because merely opening a device may have side effects.
    if (!(await lstat(place).then((found) => found.isFile(), missing(path)))) throw outside(path);
    const file = await openOne(place, AS_FILE, path);
    if (await isAt(file, join(folder, ...names, last))) return file;
    await file.close();
    throw outside(path);
  } finally {
    await at.close();
  }
}

/**
 * Returns the names of the folders on the path, and the name of the file at its end; none if the path leads elsewhere.
 */
function namesIn(folder: string, path: string): string[] {
  const start = `${folder}/`.replace('//', '/');
  if (isAbsolute(path) && !path.startsWith(start)) return [];
  const names = path
    .slice(isAbsolute(path) ? start.length : 0)
    .replace(/^\.\//, '')
    .split('/');
  return names.some((name) => ['', '.', '..'].includes(name) || name.includes('\0')) ? [] : names;
}

async function isAt(file: FileHandle, place: string): Promise<boolean> {
  return (await file.stat()).isFile() && (await readlink(opened(file))) === place;
}

const openOne = (place: string, flags: number, path: string): Promise<FileHandle> =>
  open(place, flags).catch(missing(path));

const missing =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code === 'ENOENT')
      throw new Refused(`There is no file ${path} in the folder that this command may read.`);
    if (error.code === 'EACCES') throw new Refused(`This command has no permission to read the file ${path}.`);
    // Linux reports ELOOP or ENOTDIR for a symbolic link.
    if (['ELOOP', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) throw outside(path);
    throw error;
  };

const outside = (path: string): Refused =>
  new Refused(`${path} is not a file below the folder of this command. Symbolic links and .. are not followed.`);
