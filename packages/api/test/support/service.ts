import {
  EventFeed,
  FairShares,
  issueToken,
  type Resources,
  SharedWork,
  type TokenRequest,
} from '@postshelf/application';
import { limitWork, SCOPES, type Workspace } from '@postshelf/domain';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import type { Stores } from '@postshelf/testing/contracts/stores';
import {
  type FakeClock,
  type FakeRemoteFiles,
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
  memoryBacking,
  memoryMarker,
  memoryPreviews,
  memoryResumable,
  memoryStorage,
  memoryTrash,
  memoryUploads,
  sequentialIds,
} from '@postshelf/testing/fakes';
import { createApi, type ServiceParts } from '../../src/index.ts';
import { databases } from './databases.ts';

export const PUBLIC_URL = 'https://shelf.example';

/** Numbers of slots that are larger than any test needs. */
export const WORK_SIZES = {
  uploads: 100,
  uploadsPerWorkspace: 100,
  imports: 100,
  importsPerWorkspace: 100,
  scans: 100,
  writes: 100,
};

type TestPorts = Resources & Stores & { readonly clock: FakeClock; readonly remoteFiles: FakeRemoteFiles };

/**
 * The API with a real database, and with everything else in memory. There is one workspace, and a token with all scopes
 * in it.
 */
export interface TestApi {
  readonly ports: TestPorts;
  readonly service: ServiceParts;
  readonly workspace: Workspace;
  /** Returns the number of staged uploads that weren't discarded. */
  countStaged(): number;
  /** The faults and warnings that were reported. */
  readonly reported: readonly unknown[];
  /** The text of the token that {@link send} uses. */
  readonly token: string;
  /** Issues another token for the workspace. */
  tokenWith(request: Partial<TokenRequest>): Promise<string>;
  /** Sends a request with the token. The given headers may replace the token. */
  send(
    method: string,
    path: string,
    body?: Body,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Response>;
}

type Body = { readonly json: unknown } | FormData | string | undefined;

export async function startApi(change: (ports: TestPorts) => Partial<Resources> = () => ({})): Promise<TestApi> {
  const clock = fakeClock();
  const backing = memoryBacking();
  const storage = memoryStorage({ clock, backing });
  const presignStorage = memoryUploads({ storage, clock, urlOf: (id) => `${PUBLIC_URL}/uploads/${id}` });
  const own: TestPorts = {
    ...(await databases.open()),
    clock,
    ids: sequentialIds(clock),
    storage,
    trash: memoryTrash(backing),
    isPublic: false,
    undoTime: 0,
    marker: memoryMarker(),
    locations: { database: 'memory', storage: 'memory' },
    presignStorage,
    resumableStorage: memoryResumable({ storage }),
    location: fakeLocationFinder(),
    stripsLocation: false,
    inspector: fakeInspector(),
    converter: fakeConverter(),
    covers: fakeCoverMaker(),
    frames: fakeFrameTaker(),
    fitter: fakeFitter(),
    digest: () => Promise.reject(new Error('The hash of every upload here is known.')),
    remoteFiles: fakeRemoteFiles(),
    previewMaker: fakePreviewMaker(),
    previewStorage: memoryPreviews(),
    previewWork: new SharedWork(),
    localCopies: null,
    copyWork: new SharedWork(),
    shares: new FairShares(limitWork(WORK_SIZES)),
    idempotencySeals: fakeIdempotencySeals(),
    databaseSpace: null,
    sessionSecrets: fakeSessionSecrets(),
    identityProvider: null,
    webhookSecrets: fakeWebhookSecrets(),
    webhookSender: fakeWebhookSender(),
    linkSigner: fakeLinkSigner(),
    linkFetcher: fakeLinkFetcher(),
    signer: fakeSigner('a secret of more than thirty-two characters', clock),
  };
  const reported: unknown[] = [];
  const ports = { ...own, ...change(own) };
  const service: ServiceParts = {
    ports,
    publicUrl: PUBLIC_URL,
    ownOrigin: PUBLIC_URL,
    allowsOrigin: () => false,
    version: '1.2.3',
    trustProxy: false,
    peerOf: () => '127.0.0.1',
    presignReceiver: presignStorage,
    mediaBase: `${PUBLIC_URL}/files`,
    links: { scheme: 'https', isPublic: true, redirects: false },
    redirects: null,
    bodyTimeouts: { idle: 30_000, minimumRate: 1024 },
    imports: { runner: null, retryDelays: [5000, 30_000], imageTimeout: 60_000 },
    feed: new EventFeed(ports, { onFault: (cause) => void reported.push(cause) }),
    limits: { countOperation: () => null, rateOf: () => null, countRead: () => Promise.reject(new Error('No reads.')) },
    observer: {
      observe: (_, answer) => answer(),
      fault: (cause) => void reported.push(cause),
      missing: (id) => void reported.push(`missing ${id}`),
      warning: (message, { cause }) => void reported.push(message, cause),
    },
  };
  const workspace = await addWorkspace(own);
  const tokenWith = async (request: Partial<TokenRequest>): Promise<string> => {
    const whole = { name: 'test', scopes: SCOPES, workspaceIds: [workspace.id], lifetime: 3_600_000, ...request };
    return (await issueToken(own, whole)).text;
  };
  const token = await tokenWith({});
  const api = createApi(service);
  databases.beforeClose(() => api.close());
  return {
    ports: own,
    service,
    workspace,
    token,
    countStaged: () => backing.staged.size,
    reported,
    tokenWith,
    send: async (method, path, body, headers, signal = new AbortController().signal) => {
      const given = { Authorization: `Bearer ${token}`, ...headers };
      const request = requestOf(method, `http://127.0.0.1:3000${path}`, body, given);
      return api.fetch(new Request(request, { signal }));
    },
  };
}

function requestOf(method: string, url: string, body: Body, headers: Readonly<Record<string, string>>): Request {
  if (body === undefined) return new Request(url, { method, headers });
  if (typeof body === 'string' || body instanceof FormData) return new Request(url, { method, headers, body });
  const type = { 'Content-Type': 'application/json', ...headers };
  return new Request(url, { method, headers: type, body: JSON.stringify(body.json) });
}
