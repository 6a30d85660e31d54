import type { Workspace } from '@postshelf/domain';
import {
  addWorkspace,
  type FakeClock,
  type FakeRemoteFiles,
  fakeClock,
  fakeCoverMaker,
  fakeInspector,
  fakeRemoteFiles,
  fakeSigner,
  memoryStorage,
  memoryStores,
  type Stores,
  sequentialIds,
} from '@postshelf/testing';
import type { Ports } from '../../src/index.ts';

/** Everything outside, in memory. */
export interface World extends Ports, Stores {
  readonly clock: FakeClock;
  readonly remoteFiles: FakeRemoteFiles;
}

export function makeWorld(): World {
  const clock = fakeClock();
  return {
    ...memoryStores(),
    clock,
    ids: sequentialIds(clock),
    storage: memoryStorage({ clock }),
    inspector: fakeInspector(),
    covers: fakeCoverMaker(),
    remoteFiles: fakeRemoteFiles(),
    signer: fakeSigner('a secret of more than thirty-two characters', clock),
  };
}

/** A world with a workspace in it. */
export async function inhabitedWorld(): Promise<World & { readonly workspace: Workspace }> {
  const world = makeWorld();
  return { ...world, workspace: await addWorkspace(world) };
}

/** The port with some of its methods replaced; the others work as before, on the same state. */
export const replacing = <Port extends object>(port: Port, methods: Partial<Port>): Port =>
  Object.assign(Object.create(port), methods);
