import { reasonToLeaveOut } from '@postshelf/domain/intake/left-out';
import { byName } from '../ui/by-name.ts';
import type { FileSource } from './upload.ts';

/** The name that browsers give a copied image. */
const NAMELESS = /^image\.(\w+)$/;

/**
 * Reads dropped or pasted data. Must be called while the event is handled, because the browser clears the data
 * afterwards.
 *
 * @param onUnreadable called with a message if files or folders can't be read; the others are returned
 * @returns a function that reads all files, including those in folders
 */
export function filesOf(
  data: Pick<DataTransfer, 'items'>,
  onUnreadable: (message: string) => void,
): () => Promise<readonly FileSource[]> {
  const found = Array.from(data.items, (item) =>
    item.kind === 'file' ? (item.webkitGetAsEntry() ?? item.getAsFile()) : null,
  );
  return async () => {
    const sources: FileSource[] = [];
    const unreadable: string[] = [];
    for (const one of found) {
      if (one instanceof File) sources.push({ file: one, path: [] });
      else if (one) await collect(one, [], sources, unreadable);
    }
    const [first] = unreadable;
    if (first !== undefined) {
      const others = unreadable.length > 1 ? ` and ${unreadable.length - 1} more` : '';
      onUnreadable(`These couldn’t be read and aren’t uploaded: ${first}${others}.`);
    }
    return sources;
  };
}

/** Adds an entry's files to the sources, and the names of entries that can't be read to `unreadable`. */
async function collect(
  entry: FileSystemEntry,
  path: readonly string[],
  sources: FileSource[],
  unreadable: string[],
): Promise<void> {
  try {
    if (isFile(entry)) {
      sources.push({ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), path });
      return;
    }
    const children = await listFolder(entry as FileSystemDirectoryEntry);
    const wanted = children.filter(({ name }) => reasonToLeaveOut(name) === null);
    for (const child of wanted.sort((a, b) => byName(a.name, b.name))) {
      await collect(child, [...path, entry.name], sources, unreadable);
    }
  } catch {
    // It was deleted in the meantime, its path is too long, or the user isn't allowed to read it.
    unreadable.push(entry.name);
  }
}

async function listFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // Browsers return about a hundred entries at a time, and an empty list at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

/** Names a pasted image by the time, because browsers call all of them `image.png`. */
export function namedByTime({ file, path }: FileSource, now: Date): FileSource {
  const [, extension] = NAMELESS.exec(file.name) ?? [];
  if (extension === undefined) return { file, path };
  const pad = (number: number): string => String(number).padStart(2, '0');
  const day = [now.getFullYear(), pad(now.getMonth() + 1), pad(now.getDate())].join('-');
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(pad).join('.');
  return { file: new File([file], `Pasted ${day} at ${time}.${extension}`, { type: file.type }), path };
}
