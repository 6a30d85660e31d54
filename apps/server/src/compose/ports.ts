import { FairShares, type Resources, SharedWork } from '@postshelf/application';
import type { Database } from '@postshelf/database';
import { limitWork } from '@postshelf/domain';
import {
  createCoverMaker,
  createImageConverter,
  createLinkFetcher,
  createLocationFinder,
  createMediaFitter,
  createMediaInspector,
  createPixelCheck,
  createPreviewMaker,
  createRemoteFiles,
  createWebhookSender,
  findFfmpeg,
} from '@postshelf/media';
import { digest } from '@postshelf/storage';
import type { Config } from '../config/config.ts';
import { once } from '../once.ts';
import { createJwtSigner, createSessionSecrets } from './credentials.ts';
import { systemClock, systemIds } from './host/system.ts';
import { createIdempotencySeals } from './idempotency-seals.ts';
import { createIdentityProvider } from './identity-provider.ts';
import { createLinkSigner } from './link-signer.ts';
import { decodeCommand } from './previews.ts';
import type { MediaStore } from './storage/media-store.ts';
import { cacheVerifiedTokens } from './verified-tokens.ts';
import { createWebhookSecrets } from './webhook-secrets.ts';

/**
 * Finds the ffmpeg that makes covers, and remembers the result. Returns null if there is no ffmpeg; videos then get no
 * covers.
 */
export type FindFfmpeg = () => Promise<{ readonly path: string; readonly version: string } | null>;

/**
 * Creates the ports.
 *
 * @param secret the secret that signs tokens. From it are derived the keys that encrypt stored answers and the secrets
 *   of webhooks, and that authenticate sessions, links and sign-ins
 */
export async function makePorts(
  config: Config,
  database: Database,
  store: MediaStore,
  secret: string,
): Promise<{ readonly ports: Resources; readonly ffmpeg: FindFfmpeg }> {
  // Running `ffmpeg -version` takes longer than everything else here, and most commands don't need it.
  const ffmpeg = once(() => findFfmpeg(config.ffmpegPath ?? undefined));
  const covers = once(async () => createCoverMaker({ ffmpegPath: (await ffmpeg())?.path ?? null }));
  const fitter = once(async () =>
    createMediaFitter({ ffmpegPath: (await ffmpeg())?.path ?? null, decoder: { command: decodeCommand() } }),
  );
  const shares = new FairShares(
    limitWork({
      uploads: config.uploadConcurrency,
      uploadsPerWorkspace: config.uploadConcurrencyPerWorkspace,
      imports: config.importConcurrency,
      importsPerWorkspace: config.importConcurrencyPerWorkspace,
      scans: database.maxScans,
      writes: database.maxWrites,
    }),
  );
  database.shareScans(({ workspaceId, signal = NEVER }) => shares.take('scans', workspaceId, signal));
  const ports: Resources = {
    clock: systemClock,
    ids: systemIds,
    library: database.library,
    fence: database.fence,
    deletions: database.deletions,
    workspaces: database.workspaces,
    tokens: database.tokens,
    folders: database.folders,
    media: database.media,
    trashed: database.trashed,
    processing: database.processing,
    jobs: database.jobs,
    remoteFiles: createRemoteFiles({
      allowedNetworks: config.importAllowedNetworks,
      idleTimeout: config.importIdleTimeout,
      minimumRate: config.importMinimumRate,
    }),
    storage: store.storage,
    trash: store.trash,
    marker: store.marker,
    locations: { database: database.rows.place, storage: store.place },
    presign: database.presign,
    presignStorage: store.presign,
    resumable: database.resumable,
    resumableStorage: store.resumable,
    inspector: createMediaInspector({ pixelsDecode: createPixelCheck({ command: decodeCommand() }) }),
    location: createLocationFinder(),
    converter: config.convertsImages
      ? createImageConverter({ decoder: { command: decodeCommand() }, libheif: config.libheifPath })
      : null,
    stripsLocation: config.stripsLocation,
    undoTime: config.undoTime,
    isPublic: config.s3 !== null && config.s3.publicUrl !== null,
    profiles: database.profiles,
    posts: database.posts,
    bestTimes: database.bestTimes,
    calendars: database.calendars,
    archives: database.archives,
    events: database.events,
    webhooks: database.webhooks,
    deliveries: database.deliveries,
    audit: database.audit,
    objectChecks: database.objectChecks,
    fitter: {
      isAvailable: async () => (await fitter()).isAvailable(),
      make: async (source, order) => (await fitter()).make(source, order),
    },
    uploads: database.uploads,
    duplicates: database.duplicates,
    digest,
    covers: {
      make: async (source, signal, priority) => (await covers()).make(source, signal, priority),
    },
    frames: {
      take: async (source, second, signal) => (await covers()).take(source, second, signal),
    },
    previewMaker: createPreviewMaker({ command: decodeCommand() }),
    previewWork: new SharedWork(),
    linkFetcher: createLinkFetcher({ origins: [new URL(config.publicUrl).origin, ...store.origins] }),
    localCopies: store.localCopies,
    copyWork: new SharedWork(),
    previewStorage: store.previews,
    previews: database.previews,
    webhookSecrets: createWebhookSecrets(secret),
    webhookSender: createWebhookSender({ allowedNetworks: config.webhookAllowedNetworks }),
    idempotency: database.idempotency,
    idempotencySeals: createIdempotencySeals(secret),
    people: database.people,
    identityProvider: config.oidc && createIdentityProvider(config.oidc, secret, systemClock),
    sessions: database.sessions,
    sessionSecrets: createSessionSecrets(secret),
    signer: cacheVerifiedTokens(createJwtSigner(secret), systemClock),
    linkSigner: createLinkSigner(secret),
    shares,
    databaseSpace: database.space,
  };
  return { ports, ffmpeg };
}

/** A signal that never aborts. */
const NEVER = new AbortController().signal;
