import { issueToken, type Ports, type TokenRequest } from '@postshelf/application';
import { SCOPES, type Workspace } from '@postshelf/domain';
import {
  addWorkspace,
  type FakeClock,
  type FakeRemoteFiles,
  fakeClock,
  fakeCoverMaker,
  fakeInspector,
  fakeProcesses,
  fakeRemoteFiles,
  fakeSigner,
  memoryBacking,
  memoryMarker,
  memoryStorage,
  memoryStores,
  memoryTrash,
  memoryUploads,
  type Stores,
  sequentialIds,
} from '@postshelf/testing';
import { createApi, type ServiceParts } from '../../src/index.ts';

export const PUBLIC_URL = 'https://shelf.example';

type MemoryPorts = Ports & Stores & { readonly clock: FakeClock; readonly remoteFiles: FakeRemoteFiles };

/** The API over ports in memory, with a workspace and a token that may do everything in it. */
export interface TestApi {
  readonly ports: MemoryPorts;
  readonly service: ServiceParts;
  readonly workspace: Workspace;
  /** Uploads that were staged and not let go of. */
  countStaged(): number;
  /** Faults and warnings that were reported. */
  readonly reported: readonly unknown[];
  /** Another token for the workspace. */
  tokenWith(request: Partial<TokenRequest>): Promise<string>;
  /** Sends a request with the token, which the headers given may replace. */
  send(
    method: string,
    path: string,
    body?: Body,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Response>;
}

type Body = { readonly json: unknown } | FormData | undefined;

export async function startApi(change: (ports: MemoryPorts) => Partial<Ports> = () => ({})): Promise<TestApi> {
  const clock = fakeClock();
  const backing = memoryBacking();
  const storage = memoryStorage({ clock, backing });
  const presignStorage = memoryUploads({ storage, clock, urlOf: (id) => `${PUBLIC_URL}/uploads/${id}` });
  const own: MemoryPorts = {
    ...memoryStores(),
    clock,
    ids: sequentialIds(clock),
    storage,
    trash: memoryTrash(backing),
    marker: memoryMarker(),
    locations: { database: 'memory', storage: 'memory' },
    presignStorage,
    inspector: fakeInspector(),
    covers: fakeCoverMaker(),
    remoteFiles: fakeRemoteFiles(),
    processes: fakeProcesses('process'),
    signer: fakeSigner('a secret of more than thirty-two characters', clock),
  };
  const reported: unknown[] = [];
  const ports = { ...own, ...change(own) };
  const service: ServiceParts = {
    ports,
    publicUrl: PUBLIC_URL,
    trustProxy: false,
    peerOf: () => '127.0.0.1',
    presignReceiver: presignStorage,
    mediaBase: `${PUBLIC_URL}/files`,
    redirectTo: null,
    bodyTimeouts: { idle: 30_000, minimumRate: 1024 },
    imports: { worker: null, retryDelays: [5000, 30_000], patience: 60_000 },
    limits: { countOperation: () => null, takeUploadSlot: async () => () => undefined },
    observer: {
      observe: (_, answer) => answer(),
      received: () => undefined,
      fault: (cause) => void reported.push(cause),
      missing: (id) => void reported.push(`missing ${id}`),
      warning: (message, { cause }) => void reported.push(message, cause),
    },
  };
  const workspace = await addWorkspace(own);
  const tokenWith = async (request: Partial<TokenRequest>): Promise<string> => {
    const whole = { name: 'test', scopes: SCOPES, workspaceIds: [workspace.id], life: 3_600_000, ...request };
    return (await issueToken(own, whole)).text;
  };
  const token = await tokenWith({});
  const api = createApi(service);
  return {
    ports: own,
    service,
    workspace,
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
  if (body instanceof FormData) return new Request(url, { method, headers, body });
  const type = { 'Content-Type': 'application/json', ...headers };
  return new Request(url, { method, headers: type, body: JSON.stringify(body.json) });
}
