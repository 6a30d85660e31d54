export { describeClock } from './contracts/clock.ts';
export { type CoverSample, type CoverSamples, describeCoverMaker, type VideoSample } from './contracts/cover-maker.ts';
export {
  expectRefused,
  newUpload,
  type OpenedUploads,
  type OpenUploads,
} from './contracts/direct-upload-samples.ts';
export { describePresignStorage } from './contracts/direct-uploads.ts';
export { describeBestTimesRepository } from './contracts/engagement-log.ts';
export { describeFolderRepository } from './contracts/folder-repository.ts';
export { HOSTILE_KEYS, UNUSUAL_KEYS } from './contracts/hostile-keys.ts';
export { describeIds } from './contracts/ids.ts';
export { describeImportQueue } from './contracts/import-queue.ts';
export { addImport } from './contracts/import-queue-samples.ts';
export { describeLibraryRepository } from './contracts/library-repository.ts';
export {
  describeMediaInspector,
  type InspectorSample,
  type InspectorSamples,
  type ReadableSample,
} from './contracts/media-inspector.ts';
export { describeMediaRepository } from './contracts/media-repository.ts';
export { describeObjectChecks } from './contracts/object-checks.ts';
export type { OpenStorages, Storages, StorageTraits } from './contracts/object-samples.ts';
export { describeObjectStorage } from './contracts/object-storage.ts';
export { describePostRepository } from './contracts/post-repository.ts';
export { addPost, addProfile, sampleDetails, samplePost, sampleProfile } from './contracts/post-samples.ts';
export { describePresignRepository } from './contracts/presigned-uploads.ts';
export { type SampleUpload, sampleUpload } from './contracts/presigned-uploads-samples.ts';
export { describeProfileRepository } from './contracts/profile-repository.ts';
export { refusalOf } from './contracts/refusals.ts';
export { describeRemoteFiles, type OriginAnswer, type RemoteWorld } from './contracts/remote-files.ts';
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
export { describeStorageMarker, type OpenedMarkers } from './contracts/storage-marker.ts';
export type { OpenedStores, OpenStores, Stores } from './contracts/stores.ts';
export { describeTokenRepository } from './contracts/token-repository.ts';
export { describeTokenSigner } from './contracts/token-signer.ts';

export { describeTrash, type OpenedTrash } from './contracts/trash.ts';

export { describeWorkspaceRemoval } from './contracts/workspace-removal.ts';

export { describeWorkspaceRepository } from './contracts/workspace-repository.ts';
export { type FakeClock, fakeClock } from './fakes/fake-clock.ts';
export { fakeCoverMaker } from './fakes/fake-cover-maker.ts';
export { fakeFile } from './fakes/fake-files.ts';
export { fakeInspector } from './fakes/fake-inspector.ts';
export { fakeProcesses } from './fakes/fake-processes.ts';
export { type FakeRemoteAnswer, type FakeRemoteFiles, fakeRemoteFiles } from './fakes/fake-remote-files.ts';
export { fakeSigner } from './fakes/fake-signer.ts';
export { type MemoryMark, memoryMarker } from './fakes/memory-marker.ts';
export { type MemoryBacking, type MemoryStorageOptions, memoryBacking, memoryStorage } from './fakes/memory-storage.ts';
export { memoryStores } from './fakes/memory-stores.ts';
export { emptyTables } from './fakes/memory-tables.ts';
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
export { bucketContents, bucketObject, emptyBucket, putObject } from './real/empty-bucket.ts';
export { freePort } from './real/free-port.ts';
export { type PgBouncer, startPgBouncer } from './real/pgbouncer.ts';
export { type RealPostgres, realPostgres } from './real/postgres.ts';
export type { Gateway } from './real/radosgw.ts';
export { clientOf, makeBucket, type RealS3, realS3, type S3Access } from './real/s3.ts';
export { openS3Proxy, type ProxiedRequest, type S3Proxy } from './real/s3-proxy.ts';
export { makeDatabase, runSql, type TestDatabase, withClient } from './real/test-database.ts';
