import { findConfinement, weaknessesOf } from '@postshelf/media';
import { openProcesses, StagingArea } from '@postshelf/storage';
import { hasFewThreads } from './start-anew.ts';

/** Checks of a machine's protections; tests replace each. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** What child processes of the service can do on this machine although they shouldn't. */
  childrenCan(): Promise<readonly string[]>;
  /** Whether dead processes can be distinguished from living ones. */
  tellsWhoLives(): Promise<boolean>;
  /** Whether the file system supports hard links. */
  hasLinks(): Promise<boolean>;
  /** Whether there are too few threads, so that syncing files blocks other file access. */
  hasFewThreads(): boolean;
}

/** @param root the folder of objects; null if they are in a bucket */
const thisMachine = (root: string | null): Machine => ({
  platform: process.platform,
  childrenCan: async () => weaknessesOf(await findConfinement()),
  tellsWhoLives: async () => (await openProcesses()).canTell,
  hasLinks: async () => root === null || (await StagingArea.open(root)).hasLinks(),
  hasFewThreads,
});

/** The protections that a machine lacks, each as a clause for the log. */
export async function findWeaknesses(root: string | null, machine = thisMachine(root)): Promise<readonly string[]> {
  const children = await machine.childrenCan();
  return [
    ...children.map((weakness) => `ffmpeg and what decodes pictures ${weakness}`),
    ...((await machine.tellsWhoLives()) ? [] : ['what a killed process leaves is taken up after its time only']),
    ...((await machine.hasLinks()) ? [] : ['each file is written twice, as its file system has no hard links']),
    ...(machine.hasFewThreads() ? ['uploads wait for each other, until UV_THREADPOOL_SIZE is set to 8'] : []),
    ...(machine.platform === 'linux' ? [] : ELSEWHERE),
  ];
}

const ELSEWHERE = [
  'a power cut may cost what was stored last, as the disk keeps it in a cache of its own',
  'silent connections are not closed early when files run out',
];
