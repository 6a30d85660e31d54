import { describe, expect, test } from 'bun:test';
import type { RemoteProblem } from '@postshelf/domain';
import { describeRemoteFiles } from '../src/contracts/imports/remote-files.ts';
import { fakeRemoteFiles } from '../src/fakes/fake-remote-files.ts';

const never = new AbortController().signal;

describeRemoteFiles('fake', async () => {
  const files = fakeRemoteFiles();
  let served = 0;
  const refusedUrl = 'https://router.test/';
  files.serve(refusedUrl, { kind: 'refused', message: 'The host router.test is not publicly reachable.' });
  return {
    files,
    serve: (answer) => {
      served += 1;
      const url = `https://files.test/${served}`;
      files.serve(url, answer);
      return url;
    },
    deadUrl: 'https://dead.test/',
    refusedUrl,
    allClosed: async () => expect(files.openFiles()).toBe(0),
    close: async () => {},
  };
});

describe('fake remote files', () => {
  const url = 'https://files.test/a.jpg';
  const bytes = new Uint8Array([1, 2, 3]);
  const file = { chunks: [bytes], announcedSize: 3, ending: 'whole' } as const;

  test('give one answer after the other, and the last for ever', async () => {
    const files = fakeRemoteFiles();
    files.serve(url, { status: 503 }, 'silent', file);
    await expect(files.open(url, { signal: never })).rejects.toThrow('answered 503');
    await expect(files.open(url, { signal: never })).rejects.toThrow('in time');
    expect((await files.open(url, { signal: never })).announcedSize).toBe(3);
    expect((await files.open(url, { signal: never })).announcedSize).toBe(3);
    expect(files.asked).toEqual([url, url, url, url]);
    expect(files.openFiles()).toBe(2);
  });

  test('throw the problem that they are given', async () => {
    const files = fakeRemoteFiles();
    const problem: RemoteProblem = { kind: 'failed', message: 'The certificate has expired.', mayRecover: false };
    files.serve(url, problem);
    await expect(files.open(url, { signal: never })).rejects.toMatchObject({ name: 'RemoteError', problem });
  });

  test('pull chunks as they are read', async () => {
    let made = 0;
    const chunks = (function* () {
      while (true) {
        made += 1;
        yield bytes;
      }
    })();
    const files = fakeRemoteFiles();
    files.serve(url, { chunks, announcedSize: null, ending: 'whole' });
    for await (const chunk of (await files.open(url, { signal: never })).body) {
      expect(chunk).toBe(bytes);
      if (made === 5) break;
    }
    expect(made).toBe(5);
    expect(files.openFiles()).toBe(0);
  });

  test('wait for a chunk that a test holds back', async () => {
    const held = Promise.withResolvers<Uint8Array>();
    const chunks = (async function* () {
      yield await held.promise;
    })();
    const files = fakeRemoteFiles();
    files.serve(url, { chunks, announcedSize: null, ending: 'whole' });
    const next = (await files.open(url, { signal: never })).body[Symbol.asyncIterator]().next();
    held.resolve(bytes);
    expect(await next).toEqual({ done: false, value: bytes });
  });
});
