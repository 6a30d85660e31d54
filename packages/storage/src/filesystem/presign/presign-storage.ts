import { join, resolve } from 'node:path';
import type {
  Clock,
  ListedUpload,
  PresignedUpload,
  PresignReceiver,
  PresignStorage,
  StagedObject,
  UploadAddress,
  Uuid,
} from '@postshelf/domain';
import { LimitExceeded } from '@postshelf/domain';
import { confineUpload, UPLOADS } from '../disk/confine.ts';
import { ensureDirectory, ensureRoot, refuseOther } from '../disk/directories.ts';
import { asCallersSee, reaching } from '../disk/failures.ts';
import { diskRoom, type Room, requireRoom, whileThereIsRoom } from '../disk/free-space.ts';
import { StagedFile } from '../objects/staged-file.ts';
import { type ReceivedFile, receive } from '../staging/receive.ts';
import { StagingArea } from '../staging/staging-area.ts';
import { keepUpload, listUploads, removeUpload, takeUpload } from './received-files.ts';
import { UploadSigner } from './upload-signer.ts';

export interface FileUploadsOptions {
  /** What the key of the signatures is derived from. All processes that share the root need the same. */
  readonly secret: string;
  /** Where this service takes an id's file, without a query. */
  readonly urlOf: (id: Uuid) => string;
  /** Says when an address has expired. */
  readonly clock: Clock;
  /** Bytes of the disk to leave free: `address` and `receive` then throw Refusal `storage_low`. Default 0. */
  readonly minFree?: number;
}

/**
 * Files that clients send straight to the storage, where it is a directory: `{root}/.uploads/{id}/{order}.{sha256}`, on
 * its way there in the staging area. The root is that of the objects ({@link openFileStorage}), which are published
 * from here; any number of processes may share it.
 *
 * A file that was received has been acknowledged to its client. So it stays, whoever takes it and is killed, until it
 * is removed or replaced.
 *
 * @param root made, for the service's own user only, when it is missing
 * @throws the operating system's error when it can't be made; Error when something else stands in its place
 */
export async function openFileUploads(
  root: string,
  options: FileUploadsOptions,
): Promise<PresignStorage & PresignReceiver> {
  const absolute = resolve(root);
  await ensureRoot(absolute);
  const uploads = join(absolute, UPLOADS);
  await ensureDirectory(uploads);
  await refuseOther(uploads);
  const room = diskRoom(absolute, options.minFree ?? 0);
  return new FileUploads(absolute, await StagingArea.open(absolute), new UploadSigner(options.secret), options, room);
}

class FileUploads implements PresignStorage, PresignReceiver {
  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly signer: UploadSigner,
    private readonly options: Pick<FileUploadsOptions, 'urlOf' | 'clock'>,
    private readonly room: Room,
  ) {}

  /** @throws RangeError for a ticket whose size or expiry is no whole number */
  async address(ticket: PresignedUpload): Promise<UploadAddress> {
    await requireRoom(this.room, ticket.size);
    const url = `${this.options.urlOf(ticket.id)}?${this.signer.sign(ticket)}`;
    return { url, headers: { 'Content-Type': ticket.type } };
  }

  verify(id: Uuid, query: Readonly<Record<string, string>>): PresignedUpload | null {
    const ticket = this.signer.read(id, query);
    return ticket && ticket.expiresAt > this.options.clock.now() ? ticket : null;
  }

  async receive({ id, size }: PresignedUpload, body: AsyncIterable<Uint8Array>): Promise<'kept' | 'wrong_size'> {
    const directory = confineUpload(this.root, id);
    await requireRoom(this.room, size);
    const file = await this.#receive(body, size);
    if (!file) return 'wrong_size';
    const staged = new StagedFile(this.root, file);
    try {
      if (file.size !== size) return 'wrong_size';
      await reaching(() => keepUpload(this.root, directory, file));
      return 'kept';
    } finally {
      await staged.discard();
    }
  }

  /** null when the body is longer than the limit. */
  async #receive(body: AsyncIterable<Uint8Array>, limit: number): Promise<ReceivedFile | null> {
    try {
      return await receive(this.staging, whileThereIsRoom(this.room, body), limit);
    } catch (error) {
      if (error instanceof LimitExceeded) return null;
      throw error;
    }
  }

  async take(id: Uuid): Promise<StagedObject | null> {
    const directory = confineUpload(this.root, id);
    const taken = await reaching(() => takeUpload(this.staging, directory));
    if (taken) return new StagedFile(this.root, taken);
    await this.staging.requirePresent();
    return null;
  }

  async remove(id: Uuid): Promise<void> {
    const directory = confineUpload(this.root, id);
    await this.staging.requirePresent();
    await reaching(() => removeUpload(directory));
  }

  async *list(): AsyncGenerator<ListedUpload> {
    await this.staging.requirePresent();
    try {
      yield* listUploads(join(this.root, UPLOADS));
    } catch (error) {
      throw asCallersSee(error);
    }
  }
}
