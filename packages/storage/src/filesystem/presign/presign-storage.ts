import { join, resolve } from 'node:path';
import type {
  Clock,
  FreeSpace,
  ListedUpload,
  PresignedUpload,
  PresignReceiver,
  PresignStorage,
  StagedObject,
  UploadAddress,
  Uuid,
} from '@postshelf/domain';
import { LimitExceeded } from '@postshelf/domain';
import { staged } from '../../objects/staged.ts';
import { confineUpload, UPLOADS } from '../disk/confine.ts';
import { ensureRoot, makeDirectories } from '../disk/directories.ts';
import { translateError, translateErrors } from '../disk/failures.ts';
import { diskFreeSpace, requireFreeSpace, whileSpaceIsFree } from '../disk/free-space.ts';
import { BytesInFile } from '../objects/bytes-in-file.ts';
import { type ReceivedFile, receive } from '../staging/receive.ts';
import { discardStagingFile, StagingArea } from '../staging/staging-area.ts';
import { addPresignedFile, linkLatestFile, listPresignedFiles, removePresignedFiles } from './presigned-files.ts';
import { UploadSigner } from './upload-signer.ts';

export interface FilePresignOptions {
  /** The signing key is derived from this secret. All processes that share the root need the same one. */
  readonly secret: string;
  /** Returns an upload's URL without a query. */
  readonly urlOf: (id: Uuid) => string;
  readonly clock: Clock;
  /**
   * Bytes of the disk to leave free: `address` and `receive` throw Refusal `storage_low` rather than use them. Default
   * 0.
   */
  readonly minFree?: number;
}

/**
 * Opens the storage of presigned uploads for a directory of objects ({@link openFiles}). Files are kept as
 * `{root}/.uploads/{id}/{order}.{sha256}` until they are published. Any number of processes may share the root.
 *
 * A received file is kept until a caller removes or replaces it, because its receipt has been acknowledged to the
 * client.
 *
 * @param root created, for the service's user only, when it is missing
 * @throws the operating system's error when the directory can't be created; Error when the path isn't a directory
 */
export async function openFilePresignStorage(
  root: string,
  options: FilePresignOptions,
): Promise<PresignStorage & PresignReceiver> {
  const absolute = resolve(root);
  await ensureRoot(absolute);
  const uploads = join(absolute, UPLOADS);
  await makeDirectories([uploads]);
  const space = diskFreeSpace(absolute, options.minFree ?? 0);
  return new FilePresignStorage(
    absolute,
    await StagingArea.open(absolute),
    new UploadSigner(options.secret),
    options,
    space,
  );
}

class FilePresignStorage implements PresignStorage, PresignReceiver {
  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly signer: UploadSigner,
    private readonly options: Pick<FilePresignOptions, 'urlOf' | 'clock'>,
    private readonly space: FreeSpace,
  ) {}

  /** @throws RangeError if the size, or the expiry in seconds, isn't a whole number */
  async address(presigned: PresignedUpload): Promise<UploadAddress> {
    await requireFreeSpace(this.space, presigned.size);
    const url = `${this.options.urlOf(presigned.id)}?${this.signer.sign(presigned)}`;
    return { url, headers: { 'Content-Type': presigned.type } };
  }

  verify(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null {
    const presigned = this.signer.read(id, query);
    return presigned && presigned.expiresAt > this.options.clock.now() ? presigned : null;
  }

  async receive(
    { id, size }: Pick<PresignedUpload, 'id' | 'size'>,
    body: AsyncIterable<Uint8Array>,
  ): Promise<'kept' | 'wrong_size'> {
    const directory = confineUpload(this.root, id);
    await requireFreeSpace(this.space, size);
    const file = await this.#receive(body, size);
    if (!file) return 'wrong_size';
    try {
      if (file.size !== size) return 'wrong_size';
      await translateErrors(() => addPresignedFile(this.root, directory, file));
      return 'kept';
    } finally {
      await translateErrors(() => discardStagingFile(file));
    }
  }

  /** Returns null when the body is longer than the limit. */
  async #receive(body: AsyncIterable<Uint8Array>, limit: number): Promise<ReceivedFile | null> {
    try {
      return await receive(this.staging, whileSpaceIsFree(this.space, body), { limit });
    } catch (error) {
      if (error instanceof LimitExceeded) return null;
      throw error;
    }
  }

  async take(id: Uuid): Promise<StagedObject | null> {
    const directory = confineUpload(this.root, id);
    const taken = await translateErrors(() => linkLatestFile(this.staging, directory));
    if (taken) return staged(new BytesInFile(this.root, taken));
    await this.staging.requirePresent();
    return null;
  }

  async purge(id: Uuid): Promise<void> {
    const directory = confineUpload(this.root, id);
    await this.staging.requirePresent();
    await translateErrors(() => removePresignedFiles(directory));
  }

  async *list(): AsyncGenerator<ListedUpload> {
    await this.staging.requirePresent();
    try {
      yield* listPresignedFiles(join(this.root, UPLOADS));
    } catch (error) {
      throw translateError(error);
    }
  }
}
