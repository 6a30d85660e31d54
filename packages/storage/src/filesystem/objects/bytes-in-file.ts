import type { StagedBytes } from '../../objects/staged.ts';
import { confine } from '../disk/confine.ts';
import { succeeds, translateErrors } from '../disk/failures.ts';
import { readFully } from '../disk/read-write.ts';
import type { ReceivedFile } from '../staging/receive.ts';
import { dropStagingFile } from '../staging/staging-area.ts';
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

  publish(key: string): Promise<boolean> {
    return this.#put(key, (target) => succeeds(publishFile(this.root, this.path, target), ['EEXIST']));
  }

  replace(key: string): Promise<void> {
    return this.#put(key, (target) => replaceFile(this.root, this.path, target));
  }

  #put<T>(key: string, put: (target: string) => Promise<T>): Promise<T> {
    const target = confine(this.root, key);
    return translateErrors(async () => {
      // An object's age counts from its publication, so that a slow upload doesn't look like an old orphan.
      const now = new Date();
      await this.file.handle.utimes(now, now);
      return put(target);
    });
  }

  drop(): Promise<void> {
    return translateErrors(() => dropStagingFile(this.file));
  }
}
