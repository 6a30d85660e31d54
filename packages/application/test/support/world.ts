import { type DatabaseBackups, type Library, limitWork, type Trash, type Workspace } from '@postshelf/domain';
import { addWorkspace, NOW, newId } from '@postshelf/testing/contracts/samples';
import type { Stores } from '@postshelf/testing/contracts/stores';
import {
  type FakeClock,
  type FakeRemoteFiles,
  type FakeWebhookSender,
  fakeClock,
  fakeConverter,
  fakeCoverMaker,
  fakeFitter,
  fakeFrameTaker,
  fakeIdempotencySeals,
  fakeInspector,
  fakeLinkFetcher,
  fakeLinkSigner,
  fakeLocationFinder,
  fakePreviewMaker,
  fakeRemoteFiles,
  fakeSessionSecrets,
  fakeSigner,
  fakeWebhookSecrets,
  fakeWebhookSender,
  type MemoryBacking,
  memoryBacking,
  memoryMarker,
  memoryPreviews,
  memoryResumable,
  memoryStorage,
  memoryTrash,
  memoryUploads,
  sequentialIds,
} from '@postshelf/testing/fakes';
import { FairShares, type Resources, SharedWork } from '../../src/index.ts';
import { digest } from './bodies.ts';
import { databases } from './databases.ts';

/** All ports of one library: the database is real, everything else is in memory. */
export interface World extends Resources, Stores {
  readonly clock: FakeClock;
  readonly remoteFiles: FakeRemoteFiles;
  readonly webhookSender: FakeWebhookSender;
  /** The contents of the storage. */
  readonly backing: MemoryBacking;
  readonly presignStorage: ReturnType<typeof memoryUploads>;
  readonly trash: Trash;
  readonly backups: DatabaseBackups;
}

/** Limits that no test reaches. */
const WORK_SIZES = {
  uploads: 100,
  uploadsPerWorkspace: 100,
  imports: 100,
  importsPerWorkspace: 100,
  scans: 100,
  writes: 100,
};

/** Returns a database and a storage that nothing has used yet: the service was never started with them. */
export async function untouchedWorld(): Promise<World> {
  const clock = fakeClock();
  const backing = memoryBacking();
  const storage = memoryStorage({ clock, backing, process: FIRST });
  const { backups, ...stores } = await databases.open();
  if (backups === null) throw new Error('SQLite makes copies.');
  return {
    ...stores,
    backups,
    clock,
    ids: sequentialIds(clock),
    backing,
    storage,
    trash: memoryTrash(backing),
    marker: memoryMarker(),
    locations: { database: 'memory', storage: 'memory' },
    presignStorage: memoryUploads({ storage, clock }),
    resumableStorage: memoryResumable({ storage }),
    inspector: fakeInspector(),
    converter: fakeConverter(),
    location: fakeLocationFinder(),
    stripsLocation: false,
    isPublic: false,
    undoTime: 0,
    covers: fakeCoverMaker(),
    frames: fakeFrameTaker(),
    fitter: fakeFitter(),
    digest,
    remoteFiles: fakeRemoteFiles(),
    previewMaker: fakePreviewMaker(),
    previewStorage: memoryPreviews(),
    previewWork: new SharedWork(),
    localCopies: null,
    copyWork: new SharedWork(),
    shares: new FairShares(limitWork(WORK_SIZES)),
    idempotencySeals: fakeIdempotencySeals(),
    sessionSecrets: fakeSessionSecrets(),
    identityProvider: null,
    webhookSecrets: fakeWebhookSecrets(),
    webhookSender: fakeWebhookSender(),
    databaseSpace: null,
    linkSigner: fakeLinkSigner(),
    linkFetcher: fakeLinkFetcher(),
    signer: fakeSigner('a secret of more than thirty-two characters', clock),
  };
}

/** Returns a library without a workspace. The storage has a mark, as after any start of the service. */
export async function makeWorld(): Promise<World> {
  const world = await untouchedWorld();
  const { id } = await world.library.findOrCreate(newId(), NOW);
  await world.library.update({ storageMarkedAt: NOW });
  return { ...world, marker: memoryMarker({ mark: { library: id, generation: 0, restoring: null } }) };
}

const FIRST = 'first-process';

/**
 * Returns the same world as a second process sees it. By default, the first process is killed and a minute passes; with
 * `kill: false`, the first process keeps running.
 */
export function restarted<Before extends World>(world: Before, { kill = true } = {}): Before {
  const { clock, backing } = world;
  if (kill) {
    backing.killed.add(FIRST);
    clock.advance(60_000);
  }
  const process = 'second-process';
  return {
    ...world,
    storage: memoryStorage({ clock, backing, process }),
    shares: new FairShares(limitWork(WORK_SIZES)),
  };
}

/** Returns the same world with another library or none, and with a storage without a mark. */
export async function unmarked<Before extends World>(world: Before, library: Library | null = null): Promise<Before> {
  const { library: repository } = await databases.open();
  if (library) {
    const { restoredAt, storageMarkedAt } = library;
    await repository.findOrCreate(library.id, library.createdAt);
    await repository.update({ restoredAt, storageMarkedAt });
  }
  return { ...world, library: repository, marker: memoryMarker() };
}

/** Returns a world with a workspace in it. */
export async function inhabitedWorld(): Promise<World & { readonly workspace: Workspace }> {
  const world = await makeWorld();
  return { ...world, workspace: await addWorkspace(world) };
}

/** Returns the port with some of its members replaced. The others work as before, on the same state. */
export const replacing = <Port extends object>(port: Port, members: Partial<Port>): Port =>
  new Proxy(port, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return Reflect.get(members, key);
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
