import {
  createPostshelfClient,
  type PostshelfClient,
  PostshelfError,
  type UploadResumableOptions,
} from '@postshelf/client';
import { isResumable } from '@postshelf/client/resumable';
import { STORAGE_FULL, WRONG_HASH } from '@postshelf/domain';
import type { ServiceAccess } from '../../config/service-access.ts';
import { CommandError } from '../run.ts';
import { NotTaken, type Patience, Stopped } from './patience.ts';

/** Minutes within which the service has to answer for the first time. */
const MINUTES_FOR_START = 1;

/** A file that was read to its end and is to be sent. */
export interface Sending {
  readonly name: string;
  readonly data: Blob;
  readonly sha256: string;
  readonly modifiedAt: number;
  readonly folderId: string | null;
  /** The id of a resumable upload that an earlier run started. */
  readonly uploadId: string | null;
  /** Called before each attempt. @throws Unreadable if the file has changed */
  check(): Promise<void>;
  /** Called with the id of a resumable upload once it has started. */
  onBegun(uploadId: string): void;
  /** Called with the number of bytes that have been sent so far. */
  onSent(bytes: number): void;
}

/** A folder of the upload no longer exists. */
export class FolderGone extends Error {
  override readonly name = 'FolderGone';
}

/** The service received bytes other than those that were read. */
export class OtherBytes extends Error {
  override readonly name = 'OtherBytes';
}

/** A workspace of a running service, which is accessed over the API. */
export class Library {
  private constructor(
    readonly client: PostshelfClient,
    readonly workspace: string,
    readonly patience: Patience,
  ) {}

  /**
   * Opens a workspace.
   *
   * @param asked the id of the workspace; by default, the only workspace that the token has access to
   * @param scopes the scopes that the token must have
   * @param patience waits for a service that is starting, but not as long as during the import, because the address may
   *   be wrong
   * @throws CommandError if the service can't be reached, or refuses the token
   */
  static async open(
    { url, token }: ServiceAccess,
    asked: string | undefined,
    scopes: readonly string[],
    patience: Patience,
  ): Promise<Library> {
    // The client itself doesn't retry. {@link Patience} decides for all files together which requests to retry, and
    // when.
    const client = createPostshelfClient({ baseUrl: url, token, repeats: 0 });
    const { data } = await patience
      .through(() => client.trpc.me.get.query({}), MINUTES_FOR_START)
      .catch((error: unknown) => {
        if (error instanceof Stopped) throw new CommandError(`${url}: ${error.message}`);
        throw error instanceof PostshelfError ? new CommandError(`${url}: ${reasonOf(error)}`) : error;
      });
    const lacking = scopes.filter((scope) => !data.token?.scopes.some((given) => given === scope));
    if (lacking.length > 0) throw new CommandError(`The token lacks the scope ${lacking.join(' and ')}.`);
    return new Library(client, chooseWorkspace(data.workspaces, asked), patience);
  }

  /** Returns the id of an item that has these bytes; null if there is none. @throws Stopped */
  async find(sha256: string): Promise<string | null> {
    const input = { workspace: this.workspace, sha256, per_page: 1 };
    const { data } = await this.asking(() => this.client.trpc.media.list.query(input));
    return data[0]?.id ?? null;
  }

  /**
   * Uploads a file, which becomes one item however often it is sent.
   *
   * @returns the id of its item
   * @throws NotTaken; Stopped; FolderGone; OtherBytes
   */
  async send({ name, data, uploadId, check, onBegun, onSent, ...file }: Sending): Promise<string> {
    const fields = {
      folder_id: file.folderId,
      sha256: file.sha256,
      on_duplicate: 'return' as const,
      created_at: dateOf(file.modifiedAt),
      onProgress: ({ loaded }: { readonly loaded: number }) => onSent(loaded),
    };
    // A large file is sent in several requests, so that little has to be repeated after a kill.
    if (isResumable(data)) {
      const store = storeOf(uploadId, onBegun);
      const named = { name, data };
      const once = async () => {
        await check();
        return this.client.uploadResumable(this.workspace, named, { ...fields, store });
      };
      return (await this.asking(once)).id;
    }
    const [item] = await this.asking(() => this.client.upload(this.workspace, [{ name, data }], fields));
    if (item === undefined) throw new Stopped('The service accepted a file, but did not return an item.');
    return item.id;
  }

  /** Makes a call, retries it after temporary failures, and translates the final error. @throws as {@link send} */
  asking<T>(call: () => Promise<T>): Promise<T> {
    return this.patience.through(call).catch((error: unknown) => {
      throw error instanceof PostshelfError ? meaningOf(error) : error;
    });
  }
}

function chooseWorkspace(all: readonly { readonly id: string; readonly name: string }[], asked: string | undefined) {
  const found = asked === undefined ? all : all.filter(({ id }) => id === asked.toLowerCase());
  const [only, ...others] = found;
  if (only && others.length === 0) return only.id;
  const names = all.map(({ id, name }) => `${id} (${name})`).join(', ') || 'none';
  if (asked !== undefined)
    throw new CommandError(`The token has no access to the workspace ${asked}. It has access to: ${names}`);
  throw new CommandError(`Choose a workspace with --workspace: ${names}`);
}

/**
 * Returns the store in which the client keeps the id of an upload. In browsers that is the local storage; here,
 * `onBegun` writes the id to the report.
 */
function storeOf(uploadId: string | null, onBegun: (id: string) => void): NonNullable<UploadResumableOptions['store']> {
  let id = uploadId;
  return {
    getItem: () => id,
    setItem: (_, begun) => {
      id = begun;
      onBegun(begun);
    },
    removeItem: () => {
      id = null;
    },
  };
}

/**
 * Formats a time as RFC 3339. Returns null for a time with a year that RFC 3339 can't represent, which a broken file
 * system may report.
 */
function dateOf(time: number): string | null {
  const text = new Date(time).toISOString();
  return /^\d{4}-/.test(text) ? text : null;
}

function meaningOf(error: PostshelfError): Error {
  const { status, code, message, errors } = error;
  const sentences = Object.values(errors).flat();
  const full = sentences.find((sentence) => sentence.startsWith(STORAGE_FULL));
  if (full !== undefined) return new Stopped(full);
  if ('folder_id' in errors) return new FolderGone(message);
  if (sentences.some((sentence) => sentence.endsWith(WRONG_HASH))) return new OtherBytes(message);
  if (status === 422) return new NotTaken(sentences.map(aboutTheFile).join(' ') || message);
  if (status === 413)
    return new NotTaken(`The service, or a proxy in front of it, does not accept a request of this size. ${message}`);
  if (status === 404) return new Stopped('The workspace was deleted, or the token no longer has access to it.');
  if ([401, 403, 507].includes(status) || code === 'unreadable') return new Stopped(reasonOf(error));
  return new NotTaken(message);
}

/**
 * Replaces `files.0`, the first file of a request, by `The file` in a sentence, because the request has only one file.
 */
const aboutTheFile = (sentence: string): string => sentence.replace(/^The files\.0(?: field)?/, 'The file');

const reasonOf = ({ status, message }: PostshelfError): string =>
  status === 401 ? 'The service refuses the token in POSTSHELF_TOKEN.' : message;
