import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Refused } from './refused.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

const AS_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** Without waiting for a writer, should a pipe have taken the place of the file. */
const AS_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** By which Linux opens in a folder that is open, wherever it has been moved to. */
const opened = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/**
 * Opens a file below a folder for reading. It goes step by step, each in the folder that the last step opened and never
 * through a symbolic link, so that nothing that changes meanwhile leads out of it; and then asks where the file is.
 *
 * @param folder its real path
 * @param path relative to the folder, or absolute below it
 * @throws Refused if it leads elsewhere, or to something other than a file
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
    // Opening a device may do something by itself.
    if (!(await lstat(place).then((found) => found.isFile(), missing(path)))) throw outside(path);
    const file = await openOne(place, AS_FILE, path);
    if (await isAt(file, join(folder, ...names, last))) return file;
    await file.close();
    throw outside(path);
  } finally {
    await at.close();
  }
}

/** The steps from the folder to the file; none if they lead elsewhere. */
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
    if (error.code === 'ENOENT') throw new Refused(`There is no file ${path} in the folder of this command.`);
    if (error.code === 'EACCES') throw new Refused(`The file ${path} may not be read.`);
    // The first two are what Linux says of a symbolic link.
    if (['ELOOP', 'ENOTDIR', 'ENAMETOOLONG'].includes(error.code ?? '')) throw outside(path);
    throw error;
  };

const outside = (path: string): Refused =>
  new Refused(`${path} is not a file below the folder of this command. Symbolic links and .. are not followed.`);
