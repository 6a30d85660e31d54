import type { PutOptions, StagedBytes } from '../../key-store.ts';
import { confine } from '../disk/confine.ts';
import { translateErrors } from '../disk/failures.ts';
import { readFully } from '../disk/read-write.ts';
import type { ReceivedFile } from '../staging/receive.ts';
import { discardStagingFile } from '../staging/staging-area.ts';
import { publishFile, replaceFile } from './publish.ts';

/** Staged bytes in a file of the staging area. */
export class BytesInFile implements StagedBytes {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;

  constructor(
    private readonly root: string,
    private readonly file: ReceivedFile,
  ) {
    this.path = file.path;
    this.size = file.size;
    this.sha256 = file.sha256;
  }

  read(offset: number, length: number): Promise<Uint8Array> {
    return translateErrors(() => readFully(this.file.handle, offset, length));
  }

  put(key: string, { replaces }: PutOptions): Promise<boolean> {
    const target = confine(this.root, key);
    return translateErrors(async () => {
      // An object's age must count from its publication: otherwise the object of a slow upload would look like an old
      // orphan.
      const now = new Date();
      await this.file.handle.utimes(now, now);
      return (replaces ? replaceFile : publishFile)(this.root, this.path, target);
    });
  }

  discard(): Promise<void> {
    return translateErrors(() => discardStagingFile(this.file));
  }
}
