import type { Library, Trash, Workspace } from '@postshelf/domain';
import { addWorkspace, NOW, newId } from '@postshelf/testing/contracts/samples';
import type { Stores } from '@postshelf/testing/contracts/stores';
import {
  emptyTables,
  type FakeClock,
  type FakeRemoteFiles,
  fakeClock,
  fakeCoverMaker,
  fakeInspector,
  fakeProcesses,
  fakeRemoteFiles,
  fakeSigner,
  type MemoryBacking,
  memoryBacking,
  memoryMarker,
  memoryStorage,
  memoryStores,
  memoryTrash,
  memoryUploads,
  sequentialIds,
} from '@postshelf/testing/fakes';
import type { Ports } from '../../src/index.ts';

/** Everything outside, in memory, of one library. */
export interface World extends Ports, Stores {
  readonly clock: FakeClock;
  readonly remoteFiles: FakeRemoteFiles;
  /** What the storage holds. */
  readonly backing: MemoryBacking;
  readonly trash: Trash;
}

export function makeWorld(): World {
  const clock = fakeClock();
  const backing = memoryBacking();
  const tables = emptyTables();
  const library = foundLibrary();
  tables.library.set('only', library);
  const storage = memoryStorage({ clock, backing, process: FIRST });
  return {
    ...memoryStores(tables),
    clock,
    ids: sequentialIds(clock),
    backing,
    storage,
    trash: memoryTrash(backing),
    marker: memoryMarker({ mark: { library: library.id, generation: 0, restoring: null } }),
    locations: { database: 'memory', storage: 'memory' },
    presignStorage: memoryUploads({ storage, clock }),
    inspector: fakeInspector(),
    covers: fakeCoverMaker(),
    remoteFiles: fakeRemoteFiles(),
    processes: fakeProcesses(FIRST, backing.killed),
    signer: fakeSigner('a secret of more than thirty-two characters', clock),
  };
}

/** One whose storage is marked, as every start leaves it. */
const foundLibrary = (): Library => ({
  id: newId(),
  bornAt: NOW,
  generation: 0,
  restoredAt: null,
  storageMarkedAt: NOW,
  secretFingerprint: null,
});

const FIRST = 'first-process';

/** The same world to a new process, after the first one was killed, or beside it. */
export function restarted<Before extends World>(world: Before, { kill = true } = {}): Before {
  const { clock, backing } = world;
  if (kill) backing.killed.add(FIRST);
  const process = 'second-process';
  return {
    ...world,
    storage: memoryStorage({ clock, backing, process }),
    processes: fakeProcesses(process, backing.killed),
  };
}

/** The same world, or an empty one, with this library, or none yet, and a storage without a mark. */
export function unmarked(world: World = makeWorld(), library: Library | null = null): World {
  const tables = emptyTables();
  if (library) tables.library.set('only', library);
  return { ...world, library: memoryStores(tables).library, marker: memoryMarker() };
}

/** A world with a workspace in it. */
export async function inhabitedWorld(): Promise<World & { readonly workspace: Workspace }> {
  const world = makeWorld();
  return { ...world, workspace: await addWorkspace(world) };
}

/** The port with some of its members replaced; the others work as before, on the same state. */
export const replacing = <Port extends object>(port: Port, members: Partial<Port>): Port =>
  new Proxy(port, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
