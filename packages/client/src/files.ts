/** A blob together with a name, for blobs without their own, such as those from `fs.openAsBlob` or a canvas. */
export interface NamedFile {
  readonly name: string;
  readonly data: Blob;
}

/** A `File`, or a `Blob` with or without a name. `Bun.file(path)` returns a `Blob` that has a name. */
export type UploadFile = Blob | NamedFile;

export function named(file: UploadFile): NamedFile {
  if ('data' in file) return file;
  const name = 'name' in file && typeof file.name === 'string' ? file.name : '';
  // A Bun file's name is its full path.
  return { name: name.split(/[\\/]/).at(-1) || 'file', data: file };
}

/** Normalizes one file or several, such as a browser's `FileList`, to named files. */
export function namedFiles(files: UploadFile | Iterable<UploadFile>): readonly NamedFile[] {
  return Symbol.iterator in files ? Array.from(files, named) : [named(files)];
}
