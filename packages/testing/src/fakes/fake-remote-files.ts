import { RemoteError, type RemoteFile, type RemoteFiles, type RemoteProblem } from '@postshelf/domain';
import type { OriginAnswer, OriginFile } from '../contracts/remote-files.ts';

/** As an origin's, but the chunks may come one by one, when a test wants them to, and be made as they are read. */
export interface FakeRemoteFile extends Omit<OriginFile, 'chunks'> {
  readonly chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

export type FakeRemoteAnswer = OriginAnswer | FakeRemoteFile | RemoteProblem;

export interface FakeRemoteFiles extends RemoteFiles {
  /** What the URL gives, one answer for each time it is asked; the last stays. A URL without any has no host. */
  serve(url: string, ...answers: readonly [FakeRemoteAnswer, ...FakeRemoteAnswer[]]): void;
  /** URLs that were asked for, in order. */
  readonly asked: readonly string[];
  /** Files that are neither read to their end nor closed. */
  readonly open: RemoteFiles['open'];
  openFiles(): number;
}
