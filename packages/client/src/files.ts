/** A blob with a name, which a `Blob` from `fs.openAsBlob` or a canvas lacks. */
export interface NamedFile {
  readonly name: string;
  readonly data: Blob;
}

/** A `File`, or a `Blob` with or without a name. `Bun.file(path)` is a `Blob` that has one. */
export type UploadFile = Blob | NamedFile;

export function named(file: UploadFile): NamedFile {
  if ('data' in file) return file;
  const name = 'name' in file && typeof file.name === 'string' ? file.name : '';
  // The name of a Bun file is its whole path.
  return { name: name.split(/[\\/]/).at(-1) || 'file', data: file };
}

/** One file or several, also a browser's `FileList`. */
export function namedFiles(files: UploadFile | Iterable<UploadFile>): readonly NamedFile[] {
  return Symbol.iterator in files ? Array.from(files, named) : [named(files)];
}
