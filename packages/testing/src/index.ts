export { describeClock } from './contracts/clock.ts';
export { describeFolderRepository } from './contracts/folder-repository.ts';
export { HOSTILE_KEYS, UNUSUAL_KEYS } from './contracts/hostile-keys.ts';
export { describeIds } from './contracts/ids.ts';
export { describeMediaRepository } from './contracts/media-repository.ts';
export type { OpenStorages, Storages } from './contracts/object-samples.ts';
export { describeObjectStorage } from './contracts/object-storage.ts';
export {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFolder,
  sampleImage,
  sampleToken,
  sampleVideo,
} from './contracts/samples.ts';
export type { OpenedStores, OpenStores, Stores } from './contracts/stores.ts';
export { describeTokenRepository } from './contracts/token-repository.ts';
export { describeTokenSigner } from './contracts/token-signer.ts';
export { describeWorkspaceRepository } from './contracts/workspace-repository.ts';
export { type FakeClock, fakeClock } from './fakes/fake-clock.ts';
export { fakeSigner } from './fakes/fake-signer.ts';
export { type MemoryBacking, type MemoryStorageOptions, memoryBacking, memoryStorage } from './fakes/memory-storage.ts';
export { memoryStores } from './fakes/memory-stores.ts';
export { sequentialIds } from './fakes/sequential-ids.ts';
