import type { MediaWithCover, Workspace } from '@postshelf/domain';
import { type ImportRequest, type Resources, startImport } from '../../src/index.ts';
import { importRequest, never, RETRY_DELAYS, startImports } from './imports.ts';
import type { TestRunner } from './jobs.ts';
import { keepingHeads } from './storages.ts';
import { inhabitedWorld, type World } from './world.ts';

const MINUTE = 60_000;

interface Circumstances {
  readonly ports?: Resources;
  /** The runner of the process; null for a process that leaves downloads to others. */
  readonly worker?: TestRunner | null;
  readonly signal?: AbortSignal;
  readonly imageTimeout?: number;
  readonly retryDelays?: readonly number[];
}

/** A world for starting imports, with a storage that takes gigabytes. */
export interface StartingWorld extends World {
  readonly workspace: Workspace;
  /** A runner with free slots. It is handed the downloads, unless a test passes another runner or null. */
  readonly worker: TestRunner;
  start(request?: Partial<ImportRequest>, circumstances?: Circumstances): Promise<MediaWithCover>;
}

export async function startingWorld(): Promise<StartingWorld> {
  const inhabited = await inhabitedWorld();
  const world = { ...inhabited, storage: keepingHeads(inhabited.storage) };
  const standard = startImports(world);
  return {
    ...world,
    worker: standard,
    start(request = {}, given = {}) {
      const { ports = world, worker = standard, signal = never(), imageTimeout = MINUTE } = given;
      const settings = { runner: worker?.runner ?? null, retryDelays: given.retryDelays ?? RETRY_DELAYS, imageTimeout };
      return startImport(ports, settings, world.workspace, importRequest(request), signal);
    },
  };
}
