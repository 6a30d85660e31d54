// A program that uses the installed client as a user's program would, for any runtime. Each line on standard input is
// JSON with the name of a scenario and its settings. The program answers it with a line that contains the scenario's
// result or its error. This file is copied to the folder in which the client is installed. It is plain JavaScript,
// because it also runs under Node 20.
import { openAsBlob } from 'node:fs';
import { createInterface } from 'node:readline';
import { createPostshelfClient, PostshelfError } from '@postshelf/client';

let url, token, workspace, given, client;

/** Opens a file with the function that this runtime has for it, without reading the file. */
const open = (path, options) => (globalThis.Bun ? globalThis.Bun.file(path, options) : openAsBlob(path, options));

/** The error with which a call rejects. */
async function failure(call) {
  try {
    return { resolved: await call() };
  } catch (error) {
    const { name, code, status, message, errors, requestId, cause } = error;
    const isPostshelfError = error instanceof PostshelfError && error instanceof Error;
    return { isPostshelfError, name, code, status, message, errors, requestId, cause: cause && String(cause) };
  }
}

const scenarios = {
  async trpc() {
    const created = await client.trpc.folders.create.mutate({ workspace, name: given.name });
    const folders = await client.trpc.folders.list.query({ workspace, per_page: 1 });
    const both = await Promise.all([
      client.trpc.folders.list.query({ workspace }),
      client.trpc.media.list.query({ workspace, status: 'active' }),
    ]);
    const deleted = await client.trpc.folders.delete.mutate({ folder: created.data.id });
    return { created, folders, kinds: both.map(({ meta }) => meta.path), deleted };
  },

  async upload() {
    const reports = [];
    const items = await client.upload(
      workspace,
      [
        new File([await (await open(given.jpeg)).arrayBuffer()], given.name, { type: 'image/jpeg' }),
        { name: 'film.mp4', data: await open(given.mp4) },
      ],
      { label: 'Søk "ø"\r\n--x', folder_id: given.folder, onProgress: (progress) => reports.push(progress) },
    );
    const data = await open(given.jpeg);
    const [alone] = await client.upload(workspace, data);
    const many = new Set(Array.from({ length: 10 }, (_, n) => ({ name: `${n}`, data })));
    return { items, reports, alone, count: (await client.upload(workspace, many)).length };
  },

  async uploadResumable() {
    const reports = [];
    const data = await open(given.long);
    // To continue an upload, the client needs the file's modification time, which Node's blobs don't have.
    const timed = 'lastModified' in data ? data : new File([data], 'film.mp4', { lastModified: 1 });
    const file = { name: 'film.mp4', data: timed };
    const fail = () => {
      throw new Error('The storage is forbidden or full.');
    };
    const broken = { getItem: fail, setItem: fail, removeItem: fail };
    const options = { label: 'Søk', store: broken, onProgress: (progress) => reports.push(progress) };
    const cutting = createPostshelfClient({ baseUrl: given.cutting, token });
    const item = await cutting.uploadResumable(workspace, file, options);
    const kept = new Map();
    const store = {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => kept.set(key, value),
      removeItem: (key) => kept.delete(key),
    };
    const stop = new AbortController();
    const begun = await failure(() =>
      client.uploadResumable(workspace, file, {
        store,
        signal: stop.signal,
        onProgress: ({ loaded }) => loaded > 8_000_000 && stop.abort(),
      }),
    );
    const remembered = [...kept.values()];
    const loads = [];
    const again = await client.uploadResumable(workspace, file, {
      store,
      onProgress: ({ loaded }) => loads.push(loaded),
    });
    const text = { name: 'a.mp4', data: new Blob(['no film']) };
    const refused = await failure(() => client.uploadResumable(workspace, text, { store }));
    const [large] = await client.upload(workspace, file, { on_duplicate: 'return' });
    return { item, reports, begun, remembered, again, first: loads[0], left: kept.size, refused, large };
  },

  async uploadPresigned() {
    const reports = [];
    const onProgress = (progress) => reports.push(progress);
    const issued = [];
    const file = { name: 'film.MP4', data: await open(given.mp4) };
    const options = {
      onProgress,
      onIssued: (id) => issued.push(id),
      idempotencyKey: `film-${workspace}-${Math.random()}`,
    };
    const item = await client.uploadPresigned(workspace, file, options);
    const sent = reports.length;
    const again = await client.uploadPresigned(workspace, file, options);
    const typed = await client.uploadPresigned(
      workspace,
      new File([await (await open(given.jpeg)).arrayBuffer()], 'x', { type: 'image/jpeg' }),
    );
    return { item, reports, typed, again: { ids: [again.id, ...issued], sent: reports.length - sent } };
  },

  async duplicates() {
    const file = { name: 'film.mp4', data: await open(given.mp4) };
    const { sha256 } = given;
    const options = { on_duplicate: 'return', sha256 };
    const [first] = await client.upload(workspace, file, options);
    const both = await client.upload(workspace, [file, file], { ...options, sha256: [null, sha256] });
    const presigned = await client.uploadPresigned(workspace, file, options);
    const imported = await client.importUrl(workspace, given.address, options);
    const ready = await client.waitUntilReady(imported.id);
    const wrong = await failure(() => client.upload(workspace, [file, file], { sha256: [null, '0'.repeat(64)] }));
    return { first, others: [...both, presigned, ready], imported, wrong };
  },

  async refusals() {
    const text = new File(['no picture'], 'a.jpg', { type: 'image/jpeg' });
    const stranger = createPostshelfClient({ baseUrl: url, token: 'a.b.c' });
    const reader = createPostshelfClient({ baseUrl: `${url}///`, token: given.reader });
    const unknown = '01890000-0000-7000-8000-000000000000';
    return {
      uploadOfText: await failure(() => client.upload(workspace, text, { folder_id: 'nowhere' })),
      uploadOfNothing: await failure(() => client.upload(workspace, [])),
      uploadTooLarge: await failure(async () =>
        client.upload(workspace, [text, { name: 'big.mp4', data: await open(given.big) }]),
      ),
      uploadUnauthenticated: await failure(() => stranger.upload(workspace, text)),
      uploadForbidden: await failure(() => reader.upload(workspace, text)),
      uploadNowhere: await failure(() => client.upload('no/such?place', text)),
      trpcInvalid: await failure(() =>
        client.trpc.folders.create.mutate({ workspace, name: '', parent_id: 'nowhere' }),
      ),
      trpcUnauthenticated: await failure(() => stranger.trpc.folders.list.query({ workspace })),
      trpcForbidden: await failure(() => reader.trpc.folders.create.mutate({ workspace, name: 'x' })),
      trpcNotFound: await failure(() => client.trpc.media.get.query({ id: unknown })),
      trpcTooLarge: await failure(() => client.trpc.folders.create.mutate({ workspace, name: 'n'.repeat(2 ** 20) })),
      // The first call of the batch fails, and the second one succeeds.
      batch: await Promise.all([
        failure(() => client.trpc.media.get.query({ id: unknown })),
        client.trpc.folders.list.query({ workspace }).then(({ meta }) => meta.current_page),
      ]),
      presignOfText: await failure(() =>
        client.uploadPresigned(workspace, new File(['text'], 'a.txt', { type: 'text/plain' })),
      ),
      presignOfWrongBytes: await failure(() => client.uploadPresigned(workspace, text)),
      importOfNothing: await failure(() => client.importUrl(workspace, 'ftp://example.com/a.jpg')),
      waitForNothing: await failure(() => client.waitUntilReady(unknown)),
    };
  },

  async unreachable() {
    const file = new File(['x'], 'a.jpg');
    return {
      rest: await failure(() => client.upload(workspace, file)),
      query: await failure(() => client.trpc.folders.list.query({ workspace })),
      mutation: await failure(() => client.trpc.folders.create.mutate({ workspace, name: 'x' })),
    };
  },

  /** `url` is a server that isn't Postshelf and gives the same answer to every request. */
  async unreadable() {
    const file = new File(['x'], 'a.jpg');
    return {
      rest: await failure(() => client.upload(workspace, file)),
      query: await failure(() => client.trpc.folders.list.query({ workspace })),
      mutation: await failure(() => client.trpc.folders.create.mutate({ workspace, name: 'x' })),
    };
  },

  async tokens() {
    const asked = [];
    const renewing = createPostshelfClient({
      baseUrl: new URL(url),
      token: async () => {
        asked.push(asked.length);
        return token;
      },
    });
    await renewing.upload(workspace, await open(given.jpeg));
    await renewing.trpc.folders.list.query({ workspace });
    await renewing.trpc.folders.list.query({ workspace });
    const tokenless = createPostshelfClient({
      baseUrl: url,
      token: () => {
        throw new RangeError('The drawer is empty.');
      },
    });
    return {
      asked: asked.length,
      rest: await failure(() => tokenless.upload(workspace, new File(['x'], 'a.jpg'))),
      trpc: await failure(() => tokenless.trpc.folders.list.query({ workspace })),
      baseUrl: await failure(async () => createPostshelfClient({ baseUrl: 'file:///etc', token })),
    };
  },

  async imports() {
    const image = await client.importUrl(workspace, new URL(given.image), { name: 'Imported', label: 'By URL' });
    const video = await client.importUrl(workspace, given.video, { folder_id: given.folder });
    const ready = await client.waitUntilReady(video.id);
    const missing = await client.importUrl(workspace, given.missing);
    return { image, video, ready, failed: await failure(() => client.waitUntilReady(missing.id)) };
  },

  /** `id` is an item that stays `processing`. */
  async waiting() {
    const { id } = given;
    const leaving = new AbortController();
    const left = failure(() => client.waitUntilReady(id, { signal: leaving.signal }));
    const timedOut = await failure(() => client.waitUntilReady(id, { timeout: 600 }));
    leaving.abort(new RangeError('Enough.'));
    return {
      timedOut,
      left: await left,
      gone: await failure(() => client.waitUntilReady(id, { signal: AbortSignal.abort() })),
      noTime: await failure(() => client.waitUntilReady(id, { timeout: 0 })),
    };
  },

  async waitThroughTrouble() {
    return { item: await client.waitUntilReady(given.id, { timeout: Infinity }) };
  },

  async waitInVain() {
    return { error: await failure(() => client.waitUntilReady(given.id)) };
  },

  /** Makes several calls, each through a separate proxy that loses its first answer. */
  async repeats() {
    const { created, uploaded, own, none, never } = given.urls;
    const by = (baseUrl, repeats) => createPostshelfClient({ baseUrl, token, repeats });
    const create = (through, options) => through.trpc.folders.create.mutate({ workspace, name: given.name }, options);
    return {
      created: (await create(by(created))).data.name,
      uploaded: (await by(uploaded).upload(workspace, await open(given.jpeg))).length,
      own: await failure(() => create(by(own), { idempotencyKey: 'a-key-of-my-own' })),
      none: await failure(() => by(none).upload(workspace, new File(['x'], 'a.jpg'), { idempotencyKey: null })),
      never: await failure(() => create(by(never, 0))),
    };
  },

  async pages() {
    const seen = [];
    const input = { workspace, parent_id: given.folder, per_page: 2 };
    for await (const { data, meta } of client.pages(client.trpc.folders.list, input)) {
      seen.push({ page: meta.current_page, names: data.map((folder) => folder.name) });
    }
    const rest = [];
    for await (const { meta } of client.pages(client.trpc.folders.list, { ...input, page: 2 }))
      rest.push(meta.current_page);
    const first = [];
    for await (const { meta } of client.pages(client.trpc.folders.list, input)) {
      first.push(meta.current_page);
      break;
    }
    const empty = await client.pages(client.trpc.media.list, { workspace, search: 'no such' }).next();
    return {
      seen,
      rest,
      first,
      empty: empty.value.data,
      refused: await failure(() => client.pages(client.trpc.folders.list, { ...input, page: 0 }).next()),
    };
  },

  async aborts() {
    const data = await open(given.movie);
    const abortOnceSent = (call) => {
      const leaving = new AbortController();
      return failure(() =>
        call({ signal: leaving.signal, onProgress: () => leaving.abort(new RangeError('Enough.')) }),
      );
    };
    const leaving = new AbortController();
    const queries = [
      failure(() => client.trpc.folders.list.query({ workspace }, { signal: leaving.signal })),
      client.trpc.folders.list.query({ workspace }).then(({ meta }) => meta.current_page),
    ];
    leaving.abort();
    return {
      upload: await abortOnceSent((options) => client.upload(workspace, { name: 'a.mp4', data }, options)),
      presigned: await abortOnceSent((options) => client.uploadPresigned(workspace, { name: 'a.mp4', data }, options)),
      before: await failure(() => client.upload(workspace, data, { signal: AbortSignal.abort() })),
      queries: await Promise.all(queries),
    };
  },

  async memory() {
    const before = process.memoryUsage().rss;
    let peak = before;
    const onProgress = () => {
      peak = Math.max(peak, process.memoryUsage().rss);
    };
    const data = await open(given.movie);
    const [uploaded] = await client.upload(workspace, { name: 'big.mp4', data }, { onProgress });
    const presigned = await client.uploadPresigned(workspace, { name: 'big.mp4', data }, { onProgress });
    return { sizes: [uploaded.size, presigned.size], megabytes: (peak - before) / 2 ** 20 };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, settings] = JSON.parse(line);
  ({ url, token, workspace, ...given } = settings);
  client = createPostshelfClient({ baseUrl: url, token, repeats: given.repeats });
  const answer = await scenarios[name]().then(
    (result) => ({ result }),
    (error) => ({ error: String(error?.stack ?? error) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
