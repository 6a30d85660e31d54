export { type FakeClock, fakeClock } from './fake-clock.ts';
export { damagedFakeFile, fakeFile, fakeHeic } from './fake-files.ts';
export {
  FAKE_PLACE,
  fakeConverter,
  fakeCoverMaker,
  fakeFitter,
  fakeFrameTaker,
  fakeInspector,
  fakeLocationFinder,
  fakePreviewMaker,
  madeFile,
} from './fake-media.ts';
export { type FakeRemoteFiles, fakeLinkFetcher, fakeRemoteFiles } from './fake-remote-files.ts';
export { fakeIdempotencySeals, fakeLinkSigner, fakeSessionSecrets, fakeWebhookSecrets } from './fake-secrets.ts';
export { fakeSigner } from './fake-signer.ts';
export { type FakeWebhookSender, fakeWebhookSender } from './fake-webhook-sender.ts';
export { memoryMarker } from './memory-marker.ts';
export { memoryPreviews } from './memory-previews.ts';
export { memoryResumable } from './memory-resumable.ts';
export { type MemoryBacking, memoryBacking, memoryStorage } from './memory-storage.ts';
export { memoryTrash } from './memory-trash.ts';
export { memoryUploads } from './memory-uploads.ts';
export { sequentialIds } from './sequential-ids.ts';
export { serveUploads } from './serve-uploads.ts';
