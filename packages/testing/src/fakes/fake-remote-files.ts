import {
  type FetchedLink,
  type LinkFetcher,
  RemoteError,
  type RemoteFile,
  type RemoteFiles,
  type RemoteProblem,
} from '@postshelf/domain';
import type { OriginAnswer, OriginFile } from '../contracts/imports/remote-files.ts';

/** A file of an origin. Its chunks may be made while they are read, or when the test decides. */
interface FakeRemoteFile extends Omit<OriginFile, 'chunks'> {
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** An origin's answer, or the problem that is thrown when the URL is opened. */
type FakeRemoteAnswer = OriginAnswer | FakeRemoteFile | RemoteProblem;

export interface FakeRemoteFiles extends RemoteFiles {
  /**
   * Sets the answers of a URL to successive requests; the last answer is repeated. The host of a URL without answers
   * isn't found.
   */
  serve(url: string, ...answers: readonly FakeRemoteAnswer[]): void;
  /** The URLs that were requested, in order. */
  readonly requested: readonly string[];
  /** The number of files that are neither read to their end nor closed. */
  openFiles(): number;
}

/** Creates remote files without a network. Time-outs expire in the next turn of the event loop. */
export function fakeRemoteFiles(): FakeRemoteFiles {
  const scripts = new Map<string, readonly FakeRemoteAnswer[]>();
  const open = new Set<FakeDownload>();
  const requested: string[] = [];

  const answerOf = (url: string): FakeRemoteAnswer | undefined => {
    const [first, ...rest] = scripts.get(url) ?? [];
    if (rest.length > 0) scripts.set(url, rest);
    return first;
  };

  return {
    serve: (url, ...answers) => void scripts.set(url, answers),
    requested,
    openFiles: () => open.size,
    async open(url, { signal }) {
      signal.throwIfAborted();
      requested.push(url);
      const host = URL.parse(url)?.hostname ?? '';
      const answer = answerOf(url);
      if (answer === undefined) throw failed(`The host ${host} was not found.`);
      if (answer === 'silent') {
        await unlessAborted(signal, nextTurn());
        throw failed(`The server at ${host} did not answer in time.`);
      }
      if ('kind' in answer) throw new RemoteError(answer);
      if ('status' in answer) throw answered(host, answer.status);
      const download = new FakeDownload(answer, host, signal, () => open.delete(download));
      open.add(download);
      return download;
    },
  };
}

class FakeDownload implements RemoteFile {
  readonly announcedSize: number | null;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #life = new AbortController();
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #ended = false;
  #taken = false;

  constructor(
    private readonly file: FakeRemoteFile,
    private readonly host: string,
    private readonly signal: AbortSignal,
    private readonly onEnd: () => void,
  ) {
    this.announcedSize = file.announcedSize;
    this.body = { [Symbol.asyncIterator]: () => this.#take() };
    const { chunks } = file;
    this.#chunks = Symbol.iterator in chunks ? chunks[Symbol.iterator]() : chunks[Symbol.asyncIterator]();
    signal.addEventListener('abort', this.#abort);
  }

  close(): void {
    this.#end();
  }

  #take(): AsyncIterator<Uint8Array> {
    if (this.#taken) throw new Error('The body of a download can be read only once.');
    this.#taken = true;
    return {
      next: () => this.#next(),
      return: async () => {
        this.#ended = true;
        this.#end();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    this.#life.signal.throwIfAborted();
    try {
      const result = await unlessAborted(this.#life.signal, Promise.resolve(this.#chunks.next()));
      if (!result.done) return { done: false, value: result.value };
      await this.#afterLastChunk();
    } catch (error) {
      this.#end(error);
      throw error;
    }
    this.#ended = true;
    this.#end();
    return { done: true, value: undefined };
  }

  async #afterLastChunk(): Promise<void> {
    if (this.file.ending === 'whole') return;
    await unlessAborted(this.#life.signal, nextTurn());
    const deed = this.file.ending === 'stalled' ? 'stopped sending' : 'cut off the download';
    throw failed(`The server at ${this.host} ${deed}.`);
  }

  #end(reason?: unknown): void {
    this.signal.removeEventListener('abort', this.#abort);
    this.#life.abort(reason);
    this.onEnd();
  }

  readonly #abort = (): void => this.#end(this.signal.reason);
}

const failed = (message: string): RemoteError => new RemoteError({ kind: 'failed', message, mayRecover: true });

function answered(host: string, status: number): RemoteError {
  const mayRecover = status >= 500 || [408, 425, 429].includes(status);
  return new RemoteError({ kind: 'failed', message: `The server at ${host} answered ${status}.`, mayRecover });
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => reject(signal.reason);
    if (signal.aborted) abandon();
    signal.addEventListener('abort', abandon, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}

const REACHED: FetchedLink = {
  status: 200,
  redirects: [],
  contentType: 'image/jpeg',
  contentLength: null,
  seconds: 0,
  robots: 'allowed',
  failure: null,
};

/**
 * Creates a fetcher that reaches every link.
 *
 * @param answer properties of the result that replace those of a success
 */
export function fakeLinkFetcher(answer: Partial<FetchedLink> = {}): LinkFetcher & { readonly links: string[] } {
  const links: string[] = [];
  return {
    links,
    async fetch(link, crawlers) {
      links.push(link);
      return crawlers.map(() => ({ ...REACHED, ...answer }));
    },
  };
}
