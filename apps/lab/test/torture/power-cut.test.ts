import { expect } from 'bun:test';
import { dirname } from 'node:path';
import { testsThatNeed } from '@postshelf/testing/programs';
import { send } from '../../src/torture/load/api.ts';
import { answerWith as behaviour } from '../../src/torture/load/origin-behaviour.ts';
import { type Content, sha256 } from '../../src/torture/support/contents.ts';
import { at, textAt } from '../../src/torture/support/json.ts';
import { type Call, pathOf, pathsOf } from './support/trace.ts';
import { type TracedService, traceFirstCommand, traceFirstToken, traceService } from './support/traced-service.ts';

const { afterAll, beforeAll, describe, test } = testsThatNeed(['strace'], 'what a power cut may find');

/** An object that was stored, and how the answer that says so can be told. */
interface Stored {
  readonly fullName: string;
  readonly sha256: string;
  readonly id: string;
}

const FOLDER = 'A folder of its own name';

describe('the state after a power cut: the order of system calls', () => {
  let service: TracedService;
  let calls: readonly Call[];
  const stored = new Map<string, Stored>();
  let deleted = '';

  /** The item of an answer, which is active. */
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

    const [picture, film] = [make(1, 'jpeg'), make(2, 'mp4')];
    const form = new FormData();
    for (const content of [picture, film]) form.append('files[]', new Blob([Buffer.from(contents.bytesOf(content))]));
    const uploaded = await api.call('POST', media, form);
    keep('a picture by upload', uploaded?.json, picture, 'data', 0);
    const id = keep('a film by upload', uploaded?.json, film, 'data', 1);
    const cover = at(uploaded?.json, 'data', 1, 'thumbnail');
    if (cover !== null) {
      const fullName = textAt(cover, 'full_name');
      const { bytes } = await api.download(fullName);
      stored.set('its cover', { fullName, sha256: sha256(bytes), id });
    }

    const imported = make(3, 'png');
    const answer = await api.call('POST', media, {
      url: origin.page('file', behaviour(contents, imported, 'plain')).url,
    });
    keep('a picture by URL', answer?.json, imported, 'data', 0);

    const waited = make(4, 'mp4');
    const accepted = await api.call('POST', media, {
      url: origin.page('file', behaviour(contents, waited, 'slow')).url,
    });
    const waiting = textAt(accepted?.json, 'data', 0, 'id');
    let shown = await api.get(`/media_contents/${waiting}`);
    while (at(shown.json, 'data', 'status') === 'processing') shown = await api.get(`/media_contents/${waiting}`);
    keep('a film by URL', shown.json, waited, 'data');

    const sent = make(5, 'jpeg');
    const files = [{ name: 'sent.jpg', size: sent.size, mime: sent.mime }];
    const issued = at((await api.call('POST', `${media}/presign`, { files }))?.json, 'data', 0);
    const headers = JSON.parse(textAt(issued, 'upload_headers')) as Record<string, string>;
    await send(textAt(issued, 'upload_url'), 'PUT', headers, contents.bytesOf(sent));
    const confirmed = await api.call('POST', `/media_contents/${textAt(issued, 'id')}/confirm`);
    keep('a presigned upload', confirmed?.json, sent, 'data');

    await api.call('POST', `/workspaces/${api.workspace}/media_library/folders`, { name: FOLDER });
    const doomed = stored.get('a picture by upload');
    deleted = doomed?.fullName ?? '';
    expect((await api.call('DELETE', `/media_contents/${doomed?.id}`))?.status).toBe(204);
    calls = await service.end();
  });

  afterAll(async () => {
    // Where the context broke off, its service is still there.
    if (calls === undefined) await service?.end();
  });

  /** Where bytes were written to the disk before they had their name: through all names that they had on the way. */
  function firstName(link: Call): string {
    const [from = ''] = pathsOf(link);
    const before = calls.find((call) => call.name.startsWith('link') && pathsOf(call)[1] === from);
    return before ? firstName(before) : from;
  }

  /** Of all names that objects got; those of the service's own files begin with a dot. */
  const firstLink = (): Call => {
    const isObject = (path = ''): boolean =>
      path.startsWith(`${service.root}/`) && path[service.root.length + 1] !== '.';
    return found(calls.find((call) => call.name.startsWith('link') && isObject(pathsOf(call)[1])));
  };

  const isSync = ({ name }: Call): boolean => name === 'fsync' || name === 'fdatasync';
  const isLog = (call: Call): boolean => pathOf(call)?.endsWith('/postshelf.db-wal') ?? false;

  /** The write of these words to the database's log, and the sync behind it. */
  function commitOf(words: string): { readonly written: Call; readonly synced: Call } {
    const written = found(calls.find((call) => call.name === 'pwrite64' && isLog(call) && call.text.includes(words)));
    const synced = found(calls.find((call) => isSync(call) && isLog(call) && call.began > written.ended));
    return { written, synced };
  }

  const answerWith = (...words: readonly string[]): Call =>
    found(calls.find(({ text }) => text.includes('HTTP/1.1 2') && words.every((word) => text.includes(word))));

  for (const name of [
    'a picture by upload',
    'a film by upload',
    'its cover',
    'a picture by URL',
    'a film by URL',
    'a presigned upload',
  ]) {
    test(`${name}: bytes, name and folders are on the disk before the row, and that before the answer`, () => {
      const object = stored.get(name);
      // Without ffmpeg there are no covers.
      if (!object && name === 'its cover' && !Bun.which('ffmpeg')) return;
      const { fullName, sha256: hash, id } = found(object);
      const path = `${service.root}/${fullName}`;
      const link = found(calls.find((call) => call.name.startsWith('link') && pathsOf(call)[1] === path));
      const data = found(calls.find((call) => isSync(call) && pathOf(call) === firstName(link)));
      const { written, synced } = commitOf(hash);
      // The bytes of a small file are synced beside its name: only the row leads to either.
      expect(data.ended).toBeLessThan(written.began);
      for (const folder of [dirname(dirname(path)), dirname(path)]) {
        const isRight = (call: Call): boolean =>
          isSync(call) && pathOf(call) === folder && call.began > link.ended && call.ended < written.began;
        expect([folder, calls.some(isRight)]).toEqual([folder, true]);
      }
      // The workspace's name in it is as old as the first file.
      const named = (call: Call): boolean =>
        isSync(call) && pathOf(call) === service.root && call.began > firstLink().ended && call.ended < written.began;
      expect(calls.some(named)).toBe(true);
      expect(synced.ended).toBeLessThan(answerWith(id, '"status":"active"').began);
    });
  }

  test('a file sent to a presigned address is on the disk, with its name, before the answer', () => {
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

  test('nothing is overwritten by a rename, except the mark of the library', () => {
    const renames = calls.filter(
      (call) => call.name.startsWith('rename') && !pathsOf(call)[1]?.endsWith('/media/.library'),
    );
    expect(renames).toEqual([]);
  });

  test('a change of rows alone is on the disk before its answer', () => {
    expect(commitOf(FOLDER).synced.ended).toBeLessThan(answerWith(FOLDER).began);
  });

  test('a deletion: the row is durably removed before the answer, and the object stays', () => {
    const before = answerWith(FOLDER);
    const answer = found(calls.find(({ text }) => text.includes('HTTP/1.1 204')));
    const removed = calls.find((call) => isSync(call) && isLog(call) && call.began > before.ended);
    expect(found(removed).ended).toBeLessThan(answer.began);
    // It is destroyed once no copy of the database can have the row, which takes longer than this service runs.
    const path = `${service.root}/${deleted}`;
    expect(calls.filter((call) => pathsOf(call)[0] === path && /^(unlink|rename)/.test(call.name))).toEqual([]);
  });
});

describe('the state after a power cut during the first start', () => {
  test('the folders that it made are on the disk before the first row is written, and the mark of the media when it ends', async () => {
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

  test('the secret that signs tokens is on the disk before the row of the first one is written', async () => {
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
