import { expect } from 'bun:test';
import { dirname } from 'node:path';
import { testsThatNeed } from '@postshelf/testing/programs';
import { send } from '../../src/torture/load/api.ts';
import { answerWith as behaviour } from '../../src/torture/load/origin-behaviour.ts';
import { type Content, sha256 } from '../../src/torture/support/contents.ts';
import { at, textAt } from '../../src/torture/support/json.ts';
import { type Call, pathOf, pathsOf } from './support/trace.ts';
import { type TracedService, traceFirstCommand, traceFirstToken, traceService } from './support/traced-service.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(['strace'], 'what a power cut may leave behind');

/**
 * A stored object. The trace is searched for its hash, to find the call that wrote its row, and for its id, to find the
 * call that sent the answer.
 */
interface Stored {
  readonly fullName: string;
  readonly sha256: string;
  readonly id: string;
}

const FOLDER = 'A folder of its own name';

describe('durability while serving', () => {
  let service: TracedService;
  let calls: readonly Call[];
  const stored = new Map<string, Stored>();
  let deleted = '';

  /** Takes an item from an answer, checks that it is active, records its object, and returns its id. */
  function keep(name: string, json: unknown, content: Content, ...path: (string | number)[]): string {
    expect(at(json, ...path, 'status')).toBe('active');
    const id = textAt(json, ...path, 'id');
    stored.set(name, { fullName: textAt(json, ...path, 'full_name'), sha256: content.sha256, id });
    return id;
  }

  beforeAll(async () => {
    service = await traceService();
    const { api, contents, origin } = service;
    const media = `/workspaces/${api.workspace}/media_contents`;
    const make = (number: number, kind: Content['kind']): Content => contents.describe(number, kind, 50_000);

    const [image, video] = [make(1, 'jpeg'), make(2, 'mp4')];
    const form = new FormData();
    for (const content of [image, video]) form.append('files[]', new Blob([Buffer.from(contents.bytesOf(content))]));
    const uploaded = await api.call('POST', media, form);
    keep('an uploaded image', uploaded?.json, image, 'data', 0);
    const id = keep('an uploaded video', uploaded?.json, video, 'data', 1);
    const cover = at(uploaded?.json, 'data', 1, 'thumbnail');
    if (cover !== null) {
      const fullName = textAt(cover, 'full_name');
      const { bytes } = await api.download(fullName);
      stored.set('the cover of an uploaded video', { fullName, sha256: sha256(bytes), id });
    }

    const imported = make(3, 'png');
    const answer = await api.call('POST', media, {
      url: origin.page('file', behaviour(contents, imported, 'plain')).url,
    });
    keep('an image imported by URL', answer?.json, imported, 'data', 0);

    const waited = make(4, 'mp4');
    const accepted = await api.call('POST', media, {
      url: origin.page('file', behaviour(contents, waited, 'slow')).url,
    });
    const waiting = textAt(accepted?.json, 'data', 0, 'id');
    let shown = await api.get(`/media_contents/${waiting}`);
    while (at(shown.json, 'data', 'status') === 'processing') shown = await api.get(`/media_contents/${waiting}`);
    keep('a video imported by URL', shown.json, waited, 'data');

    const sent = make(5, 'jpeg');
    const files = [{ name: 'sent.jpg', size: sent.size, mime: sent.mime }];
    const issued = at((await api.call('POST', `${media}/presign`, { files }))?.json, 'data', 0);
    const headers = JSON.parse(textAt(issued, 'upload_headers')) as Record<string, string>;
    await send(textAt(issued, 'upload_url'), 'PUT', headers, contents.bytesOf(sent));
    const confirmed = await api.call('POST', `/media_contents/${textAt(issued, 'id')}/confirm`);
    keep('a presigned upload', confirmed?.json, sent, 'data');

    await api.call('POST', `/workspaces/${api.workspace}/media_library/folders`, { name: FOLDER });
    const doomed = stored.get('an uploaded image');
    deleted = doomed?.fullName ?? '';
    expect((await api.call('DELETE', `/media_contents/${doomed?.id}`))?.status).toBe(204);
    calls = await service.end();
  });

  afterAll(async () => {
    // If the setup failed, the service that it started still runs.
    if (calls === undefined) await service?.end();
  });

  /** Follows an object's links back to the path at which its bytes were first written. */
  function firstName(link: Call): string {
    const [from = ''] = pathsOf(link);
    const before = calls.find((call) => call.name.startsWith('link') && pathsOf(call)[1] === from);
    return before ? firstName(before) : from;
  }

  /**
   * Returns the first link call that gives an object its name. The service's own files are excluded: their names begin
   * with a dot.
   */
  const firstLink = (): Call => {
    const isObject = (path = ''): boolean =>
      path.startsWith(`${service.root}/`) && path[service.root.length + 1] !== '.';
    return found(calls.find((call) => call.name.startsWith('link') && isObject(pathsOf(call)[1])));
  };

  const isSync = ({ name }: Call): boolean => name === 'fsync' || name === 'fdatasync';
  const isLog = (call: Call): boolean => pathOf(call)?.endsWith('/postshelf.db-wal') ?? false;

  /** Returns the call that writes these words to the database's log, and the sync after it. */
  function commitOf(words: string): { readonly written: Call; readonly synced: Call } {
    const written = found(calls.find((call) => call.name === 'pwrite64' && isLog(call) && call.text.includes(words)));
    const synced = found(calls.find((call) => isSync(call) && isLog(call) && call.began > written.ended));
    return { written, synced };
  }

  const answerWith = (...words: readonly string[]): Call =>
    found(calls.find(({ text }) => text.includes('HTTP/1.1 2') && words.every((word) => text.includes(word))));

  for (const name of [
    'an uploaded image',
    'an uploaded video',
    'the cover of an uploaded video',
    'an image imported by URL',
    'a video imported by URL',
    'a presigned upload',
  ]) {
    test(`${name} has its bytes, name and folders on disk before its row, and its row before the answer`, () => {
      const object = stored.get(name);
      // Without ffmpeg there are no covers.
      if (!object && name === 'the cover of an uploaded video' && !Bun.which('ffmpeg')) return;
      const { fullName, sha256: hash, id } = found(object);
      const path = `${service.root}/${fullName}`;
      const link = found(calls.find((call) => call.name.startsWith('link') && pathsOf(call)[1] === path));
      const data = found(calls.find((call) => isSync(call) && pathOf(call) === firstName(link)));
      const { written, synced } = commitOf(hash);
      // The bytes must be synced before the row is written. They may be synced after the file was linked to its name,
      // because nothing uses a file without a row.
      expect(data.ended).toBeLessThan(written.began);
      for (const folder of [dirname(dirname(path)), dirname(path)]) {
        const isRight = (call: Call): boolean =>
          isSync(call) && pathOf(call) === folder && call.began > link.ended && call.ended < written.began;
        expect([folder, calls.some(isRight)]).toEqual([folder, true]);
      }
      // The workspace's folder was created for the first file. After that, and before the row, the root must be synced.
      const named = (call: Call): boolean =>
        isSync(call) && pathOf(call) === service.root && call.began > firstLink().ended && call.ended < written.began;
      expect(calls.some(named)).toBe(true);
      expect(synced.ended).toBeLessThan(answerWith(id, '"status":"active"').began);
    });
  }

  test('a file sent to a presigned URL is on disk under its name before the answer', () => {
    const uploads = `${service.root}/.uploads`;
    const into = (call: Call): boolean => pathsOf(call)[1]?.startsWith(`${uploads}/`) ?? false;
    const link = found(calls.find((call) => call.name.startsWith('link') && into(call)));
    const data = found(calls.find((call) => isSync(call) && pathOf(call) === pathsOf(link)[0]));
    expect(data.ended).toBeLessThan(link.began);
    const answer = found(calls.find((call) => call.began > link.ended && call.text.includes('HTTP/1.1 200')));
    for (const folder of [service.root, uploads, dirname(pathsOf(link)[1] ?? '')]) {
      const isRight = (call: Call): boolean =>
        isSync(call) && pathOf(call) === folder && call.began > link.ended && call.ended < answer.began;
      expect([folder, calls.some(isRight)]).toEqual([folder, true]);
    }
  });

  test('only the library’s mark is renamed into place, because a rename can overwrite a file', () => {
    const renames = calls.filter(
      (call) => call.name.startsWith('rename') && !pathsOf(call)[1]?.endsWith('/media/.library'),
    );
    expect(renames).toEqual([]);
  });

  test('a change that affects only rows is on disk before its answer', () => {
    expect(commitOf(FOLDER).synced.ended).toBeLessThan(answerWith(FOLDER).began);
  });

  test('a deletion removes the row durably before the answer, and keeps the object', () => {
    const before = answerWith(FOLDER);
    const answer = found(calls.find(({ text }) => text.includes('HTTP/1.1 204')));
    const removed = calls.find((call) => isSync(call) && isLog(call) && call.began > before.ended);
    expect(found(removed).ended).toBeLessThan(answer.began);
    // The file must still exist. It is removed only when no copy of the database can contain its row any more, which
    // takes longer than this service runs.
    const path = `${service.root}/${deleted}`;
    expect(calls.filter((call) => pathsOf(call)[0] === path && /^(unlink|rename)/.test(call.name))).toEqual([]);
  });
});

describe('durability during the first start', () => {
  test('new folders are on disk before the first row, and the media folder’s mark before the command ends', async () => {
    const { data, calls } = await traceFirstCommand();
    const syncs = (path: string, after: number): Call =>
      found(calls.find((call) => call.name === 'fsync' && pathOf(call) === path && call.began > after));
    const row = found(calls.find((call) => call.name === 'pwrite64' && pathOf(call)?.endsWith('.db-wal')));
    for (const above of [dirname(data), dirname(dirname(data))]) expect(syncs(above, -1).ended).toBeLessThan(row.began);
    const mark = found(calls.find((call) => call.name.startsWith('link') && pathsOf(call)[1]?.endsWith('/.library')));
    const draft = found(calls.find((call) => call.name === 'fsync' && pathOf(call) === pathsOf(mark)[0]));
    expect(draft.ended).toBeLessThan(mark.began);
    expect(syncs(`${data}/media`, mark.ended)).toBeDefined();
  });

  test('the secret that signs tokens is on disk before the row of the first token', async () => {
    const { data, calls } = await traceFirstToken();
    const link = found(calls.find((call) => call.name.startsWith('link') && pathsOf(call)[1] === `${data}/jwt-secret`));
    const draft = found(calls.find((call) => call.name === 'fsync' && pathOf(call) === pathsOf(link)[0]));
    expect(draft.ended).toBeLessThan(link.began);
    const folder = found(calls.find((c) => c.name === 'fsync' && pathOf(c) === data && c.began > link.ended));
    const row = found(calls.find((c) => c.name === 'pwrite64' && pathOf(c)?.endsWith('.db-wal')));
    expect(folder.ended).toBeLessThan(row.began);
  });
});

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The trace has no such call.');
  return value;
}
