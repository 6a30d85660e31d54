import {
  type ActiveMedia,
  type FieldErrors,
  fullNameOf,
  kindOf,
  MAX_MULTIPART_FILE_BYTES,
  type MediaContent,
  type MediaItem,
  type MediaWithCover,
  MULTIPART_FILE_TOO_LARGE,
  nameFromFileName,
  Refusal,
  type StagedObject,
  storeCover,
  storeFile,
  type Uuid,
  type Workspace,
  WRONG_TYPE,
} from '@postshelf/domain';
import { noSuchFolder } from '../folders/require-folder.ts';
import type { Ports } from '../ports.ts';
import { peek } from './peek.ts';

type UploadPorts = Pick<Ports, 'storage' | 'inspector' | 'covers' | 'media' | 'clock' | 'ids'>;

/** Details that hold for every file of a request. */
export interface UploadDetails {
  readonly label: string | null;
  readonly folderId: Uuid | null;
}

interface StagedFile {
  readonly name: string;
  readonly content: MediaContent;
  readonly object: StagedObject;
}

interface Ready {
  readonly item: ActiveMedia;
  readonly object: StagedObject;
}

/**
 * The files of one multipart request, stored all or none (decisions, "Media"): each is staged and read as it comes,
 * under no key; {@link commit} then makes covers, publishes the objects and, last, keeps the rows in one transaction.
 * Until the rows are kept nobody sees anything, and {@link discard} or, after a crash, garbage collection undoes it.
 */
export class UploadBatch {
  readonly #files: StagedFile[] = [];
  readonly #staged: StagedObject[] = [];
  readonly #errors: Record<string, string[]> = {};
  #count = 0;

  constructor(
    private readonly ports: UploadPorts,
    private readonly workspace: Workspace,
  ) {}

  /** Files taken so far, refused ones included. */
  get count(): number {
    return this.#count;
  }

  /** Why files were refused so far, by field: `files.0`. */
  get errors(): FieldErrors {
    return this.#errors;
  }

  /**
   * Takes the next file. One of a wrong type is noted in {@link errors}, its bytes read and dropped.
   *
   * @throws Refusal `too_large` above 200 MB; whatever `body` throws
   */
  async add(fileName: string, body: AsyncIterable<Uint8Array>): Promise<void> {
    const field = `files.${this.#count}`;
    this.#count += 1;
    const { head, whole } = await peek(limited(body), this.ports.inspector.headLength);
    const type = await this.ports.inspector.recognise(head);
    if (type === null) {
      for await (const _ of whole) {
        // Read to its end, so that the parts behind it can be looked at too; nothing is kept.
      }
      this.#refuse(field, head.length === 0 ? 'must not be empty.' : WRONG_TYPE);
      return;
    }
    const object = await this.ports.storage.stage(whole, { limit: MAX_MULTIPART_FILE_BYTES });
    this.#staged.push(object);
    const facts = await this.ports.inspector.inspect(object);
    if (facts === null) {
      await object.discard();
      this.#refuse(field, WRONG_TYPE);
      return;
    }
    const content = { ...facts, size: object.size, sha256: object.sha256 };
    this.#files.push({ name: nameFromFileName(fileName, facts.type), content, object });
  }

  /**
   * Stores what was taken, as `active` items in the order of the files.
   *
   * @throws Refusal `invalid` on `folder_id` when the folder isn't one of the workspace (any more)
   */
  async commit(details: UploadDetails): Promise<readonly MediaWithCover[]> {
    const now = this.ports.clock.now();
    const stored = await all(this.#files.map((file) => this.#prepare(file, details, now)));
    const ready = stored.flatMap(({ media, cover }) => (cover ? [media, cover] : [media]));
    const published: string[] = [];
    try {
      for (const { item, object } of ready) {
        await object.publish(item.fullName);
        published.push(item.fullName);
      }
      const items: MediaItem[] = ready.map(({ item }) => item);
      if ((await this.ports.media.insert(items)) === 'folder_missing') throw noSuchFolder('folder_id');
    } catch (cause) {
      // What can't be removed now has no row: garbage collection finds it.
      await Promise.allSettled(published.map((fullName) => this.ports.storage.remove(fullName)));
      throw cause;
    }
    return stored.map(({ media, cover }) => ({ item: media.item, cover: cover?.item ?? null }));
  }

  /** Drops whatever was staged and not published. Always call it, also after {@link commit}. */
  async discard(): Promise<void> {
    await Promise.all(this.#staged.map((object) => object.discard()));
  }

  async #prepare(
    file: StagedFile,
    details: UploadDetails,
    now: number,
  ): Promise<{ media: Ready; cover: Ready | null }> {
    const { name, content, object } = file;
    const item = storeFile({ ...this.#identify(name), ...details }, content, now);
    const cover = kindOf(content.type) === 'video' ? await this.#cover(item, object, now) : null;
    return { media: { item, object }, cover };
  }

  async #cover(video: ActiveMedia, source: StagedObject, now: number): Promise<Ready | null> {
    const cover = await this.ports.covers.make(source);
    if (!cover) return null;
    const { bytes, width, height } = cover;
    const object = await this.ports.storage.stage(once(bytes), { limit: bytes.length });
    this.#staged.push(object);
    const name = nameFromFileName(video.name, 'image/jpeg');
    const content: MediaContent = {
      type: 'image/jpeg',
      size: object.size,
      sha256: object.sha256,
      width,
      height,
      time: null,
    };
    const details = { ...this.#identify(name), label: null, folderId: null };
    return { item: storeCover(details, content, video.id, now), object };
  }

  #identify(name: string) {
    const id = this.ports.ids.next();
    const workspaceId = this.workspace.id;
    return { id, workspaceId, name, fullName: fullNameOf(workspaceId, id, name) };
  }

  #refuse(field: string, why: string): void {
    this.#errors[field] = [`The ${field} field ${why}`];
  }
}

/** Also a file whose bytes are dropped is counted: 413 comes before 422. */
async function* limited(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_MULTIPART_FILE_BYTES) throw new Refusal({ code: 'too_large', message: MULTIPART_FILE_TOO_LARGE });
    yield chunk;
  }
}

/** Like `Promise.all`, but nothing is still running when it throws. */
async function all<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
