export { describeBestTimesRepository } from './contracts/best-times/best-times-repository.ts';
export { describeClock } from './contracts/clock.ts';
export {
  type CoverSample,
  type CoverSamples,
  describeCoverMaker,
  type VideoSample,
} from './contracts/covers/cover-maker.ts';
export { describeFolderRepository } from './contracts/folders/folder-repository.ts';
export { describeTrash, type OpenedTrash } from './contracts/garbage/trash.ts';
export { describeIds } from './contracts/ids.ts';
export { describeImportQueue } from './contracts/imports/import-queue.ts';
export { describeRemoteFiles, type OriginAnswer, type RemoteWorld } from './contracts/imports/remote-files.ts';
export { addImport } from './contracts/imports/samples.ts';
export { describeLibraryRepository } from './contracts/library/library-repository.ts';
export { describeStorageMarker, type OpenedMarkers } from './contracts/library/storage-marker.ts';
export {
  describeMediaInspector,
  type InspectorSample,
  type InspectorSamples,
  type ReadableSample,
} from './contracts/media/media-inspector.ts';
export { describeMediaRepository } from './contracts/media/media-repository.ts';
export { HOSTILE_KEYS, UNUSUAL_KEYS } from './contracts/objects/hostile-keys.ts';
export { describeObjectStorage } from './contracts/objects/object-storage.ts';
export type { OpenStorages, Storages, StorageTraits } from './contracts/objects/samples.ts';
export { describePostRepository } from './contracts/posts/post-repository.ts';
export { describeProfileRepository } from './contracts/posts/profile-repository.ts';
export { addPost, addProfile, sampleDetails, samplePost, sampleProfile } from './contracts/posts/samples.ts';
export { describePresignRepository } from './contracts/presign-repository/presign-repository.ts';
export { type SampleUpload, sampleUpload } from './contracts/presign-repository/samples.ts';
export { describePresignStorage } from './contracts/presign-storage/presign-storage.ts';
export {
  expectRefused,
  newUpload,
  type OpenedUploads,
  type OpenUploads,
} from './contracts/presign-storage/samples.ts';
export { refusalOf } from './contracts/refusals.ts';
export {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFolder,
  sampleImage,
  sampleProcessing,
  sampleToken,
  sampleVideo,
} from './contracts/samples.ts';
export type { OpenedStores, OpenStores, Stores } from './contracts/stores.ts';
export { describeTokenRepository } from './contracts/tokens/token-repository.ts';
export { describeTokenSigner } from './contracts/tokens/token-signer.ts';
export { describeObjectChecks } from './contracts/verify/object-checks.ts';

export { describeWorkspaceRemoval } from './contracts/workspaces/removal.ts';

export { describeWorkspaceRepository } from './contracts/workspaces/workspace-repository.ts';
export { type TestDatabases, testDatabases } from './databases.ts';
export { type FakeClock, fakeClock } from './fakes/fake-clock.ts';
export { fakeCoverMaker } from './fakes/fake-cover-maker.ts';
export { fakeFile } from './fakes/fake-files.ts';
export { fakeInspector } from './fakes/fake-inspector.ts';
export { fakeProcesses } from './fakes/fake-processes.ts';
export { type FakeRemoteAnswer, type FakeRemoteFiles, fakeRemoteFiles } from './fakes/fake-remote-files.ts';
export { fakeSigner } from './fakes/fake-signer.ts';
export { type MemoryMark, memoryMarker } from './fakes/memory-marker.ts';
export { type MemoryBacking, type MemoryStorageOptions, memoryBacking, memoryStorage } from './fakes/memory-storage.ts';
export { memoryTrash } from './fakes/memory-trash.ts';
export { type MemoryUploadsOptions, memoryUploads } from './fakes/memory-uploads.ts';
export { sequentialIds } from './fakes/sequential-ids.ts';
export { type ServedUploads, serveUploads } from './fakes/serve-uploads.ts';
export { type BigMp4Options, bigJpeg, bigMp4 } from './fixtures/big-files.ts';
export { sourceOf, sourceOfFile } from './fixtures/byte-sources.ts';
export {
  FIXTURE_NAMES,
  type Fixture,
  type FixtureName,
  fixture,
  OTHER_FIXTURE_NAMES,
  type OtherFixture,
  type OtherFixtureName,
  otherFixture,
} from './fixtures/fixture.ts';
export { mulberry32 } from './mulberry32.ts';
export { bucketContents, bucketObject, emptyBucket, putObject } from './servers/empty-bucket.ts';
export { freePort } from './servers/free-port.ts';
export { type PgBouncer, startPgBouncer } from './servers/pgbouncer.ts';
export { type RealPostgres, realPostgres } from './servers/postgres.ts';
export type { Gateway } from './servers/radosgw.ts';
export { clientOf, makeBucket, type RealS3, realS3, type S3Access } from './servers/s3.ts';
export { openS3Proxy, type ProxiedRequest, type S3Proxy } from './servers/s3-proxy.ts';
export { makeDatabase, runSql, type TestDatabase, withClient } from './servers/test-database.ts';
