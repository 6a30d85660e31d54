import { availableParallelism } from 'node:os';
import { findConfinement, weaknessesOf } from '@postshelf/media';
import { StagingArea } from '@postshelf/storage';

/**
 * The minimum number of file threads for concurrent uploads. With fewer, uploads wait for each other, because each sync
 * of a file occupies a thread.
 */
const ENOUGH_THREADS = 8;

/** The number of file threads: one per processor unless the runtime is configured otherwise when it starts. */
const fileThreads = ({ UV_THREADPOOL_SIZE, GOMAXPROCS } = process.env): number =>
  Number(UV_THREADPOOL_SIZE || GOMAXPROCS || availableParallelism());

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Returns what the service's child processes can do on this machine, but shouldn't be able to do. */
  childWeaknesses(): Promise<readonly string[]>;
  hasLinks(): Promise<boolean>;
  hasFewThreads(): boolean;
}

/** @param root the folder of objects; null if objects are in a bucket */
const thisMachine = (root: string | null): Machine => ({
  platform: process.platform,
  childWeaknesses: async () => weaknessesOf(await findConfinement()),
  hasLinks: async () => root === null || (await StagingArea.open(root)).hasLinks(),
  hasFewThreads: () => fileThreads() < ENOUGH_THREADS,
});

export async function findWeaknesses(root: string | null, machine = thisMachine(root)): Promise<readonly string[]> {
  const children = await machine.childWeaknesses();
  return [
    ...children.map((weakness) => `ffmpeg and the image decoder ${weakness}`),
    ...((await machine.hasLinks()) ? [] : ['each file is written twice, as its file system has no hard links']),
    ...(machine.hasFewThreads() ? ['uploads wait for each other, until UV_THREADPOOL_SIZE is set to 8'] : []),
    ...(machine.platform === 'linux' ? [] : ELSEWHERE),
  ];
}

const ELSEWHERE = [
  'a power cut may lose the last files stored, as they may still be in a cache of the disk',
  'idle connections are not closed early when files run out',
];
