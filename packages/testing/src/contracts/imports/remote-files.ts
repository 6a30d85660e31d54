import { describe, expect, test } from 'bun:test';
import { RemoteError, type RemoteFiles } from '@postshelf/domain';
import { sampleBytes } from '../objects/samples.ts';

/** A file that an origin serves. */
export interface OriginFile {
  readonly chunks: readonly Uint8Array[];
  /** Size in bytes that the answer declares; null if it declares none. */
  readonly announcedSize: number | null;
  /**
   * The event after the last chunk: the file is complete, the connection breaks, or the origin sends nothing more until
   * a timeout.
   */
  readonly ending: 'whole' | 'cut off' | 'stalled';
}

/** An origin's answer to a request; with `silent`, the origin accepts the request but sends nothing until a timeout. */
export type OriginAnswer = OriginFile | { readonly status: number } | 'silent';

/** The remote side that the suite fetches from. */
export interface RemoteWorld {
  readonly files: RemoteFiles;
  /** Returns a new URL that gives the answer. */
  serve(answer: OriginAnswer): string;
  /** A URL whose host doesn't answer. */
  readonly deadUrl: string;
  /** A URL that the rules forbid. */
  readonly refusedUrl: string;
  /** Resolves once no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

/** Statuses after which a retry may succeed, and statuses after which it can't. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];
const FINAL = [400, 401, 403, 404, 410, 451, 204];

const never = (): AbortSignal => new AbortController().signal;

const whole = (...chunks: Uint8Array[]): OriginFile => ({
  chunks,
  announcedSize: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  ending: 'whole',
});

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(new Uint8Array(chunk));
  return new Uint8Array(Buffer.concat(chunks));
}

/** Returns the error of a promise; fails the test if there is none. */
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('Nothing was thrown.');
    },
    (error: unknown) => error,
  );

async function problemOf(promise: Promise<unknown>): Promise<RemoteError['problem']> {
  const error = await thrownBy(promise);
  if (!(error instanceof RemoteError)) throw error;
  expect(error.message).toBe(error.problem.message);
  expect(error.message).toMatch(/^[A-Z].*\.$/);
  return error.problem;
}

/** The contract of {@link RemoteFiles}. */
export function describeRemoteFiles(name: string, open: () => Promise<RemoteWorld>): void {
  const inWorld = (run: (world: RemoteWorld) => Promise<void>) => async (): Promise<void> => {
    const world = await open();
    try {
      await run(world);
      await world.allClosed();
    } finally {
      await world.close();
    }
  };

  const testInWorld = (title: string, run: (world: RemoteWorld) => Promise<void>): void => test(title, inWorld(run));

  describe(`${name} as remote files`, () => {
    const bytes = sampleBytes(100_000);

    describe('returns', () => {
      test.each([
        ['bytes and a declared size', whole(bytes.slice(0, 7), bytes.slice(7))],
        ['bytes without a declared size', { ...whole(bytes), announcedSize: null }],
        ['an empty file', whole()],
      ])('%s for every request', (_, answer) =>
        inWorld(async ({ files, serve }) => {
          const url = serve(answer);
          for (let requested = 0; requested < 2; requested += 1) {
            const file = await files.open(url, { signal: never() });
            expect(file.announcedSize).toBe(answer.announcedSize);
            expect(await readAll(file.body)).toEqual(new Uint8Array(Buffer.concat(answer.chunks)));
          }
        })(),
      );

      testInWorld('several files concurrently', async ({ files, serve }) => {
        const samples = [1, 2, 3, 4].map((seed) => sampleBytes(50_000, seed));
        const opened = await Promise.all(
          samples.map((sample) => files.open(serve(whole(sample)), { signal: never() })),
        );
        expect(await Promise.all(opened.map(({ body }) => readAll(body)))).toEqual(samples);
      });
    });

    describe('reports', () => {
      testInWorld('the status of a response, and whether the server may recover', async ({ files, serve }) => {
        for (const status of [...PASSING, ...FINAL]) {
          const url = serve({ status });
          const message = `The server at ${new URL(url).hostname} answered ${status}.`;
          const problem = { kind: 'failed', message, mayRecover: PASSING.includes(status) } as const;
          expect(await problemOf(files.open(url, { signal: never() }))).toEqual(problem);
        }
      });

      testInWorld('that a host or server that does not answer may recover', async ({ files, serve, deadUrl }) => {
        for (const url of [deadUrl, serve('silent')]) {
          const problem = await problemOf(files.open(url, { signal: never() }));
          expect(problem).toMatchObject({ kind: 'failed', mayRecover: true });
        }
      });

      testInWorld('that a forbidden URL is refused', async ({ files, refusedUrl }) => {
        expect(await problemOf(files.open(refusedUrl, { signal: never() }))).toMatchObject({ kind: 'refused' });
      });
    });

    describe('a body', () => {
      for (const ending of ['cut off', 'stalled'] as const) {
        for (const announcedSize of [bytes.length + 1, null]) {
          const size = announcedSize === null ? 'unknown' : 'declared';
          testInWorld(
            `of ${size} size that is ${ending} yields what arrived, then throws on every read`,
            async ({ files, serve }) => {
              const url = serve({ chunks: [bytes], announcedSize, ending });
              const iterator = (await files.open(url, { signal: never() })).body[Symbol.asyncIterator]();
              let came = 0;
              while (came < bytes.length) came += (await iterator.next()).value?.length ?? 0;
              const problem = await problemOf(iterator.next());
              expect(problem).toMatchObject({ kind: 'failed', mayRecover: true });
              expect(await problemOf(iterator.next())).toEqual(problem);
            },
          );
        }
      }

      testInWorld('can be read once, and stays ended', async ({ files, serve }) => {
        const { body } = await files.open(serve(whole(bytes)), { signal: never() });
        const iterator = body[Symbol.asyncIterator]();
        while (!(await iterator.next()).done);
        expect(await iterator.next()).toEqual({ done: true, value: undefined });
        expect(await thrownBy(readAll(body))).toBeInstanceOf(Error);
      });

      test.each([true, false])('that is abandoned ends the connection; reading had started: %p', (isBegun) =>
        inWorld(async ({ files, serve }) => {
          const url = serve({ chunks: [bytes], announcedSize: null, ending: 'stalled' });
          const iterator = (await files.open(url, { signal: never() })).body[Symbol.asyncIterator]();
          if (isBegun) expect((await iterator.next()).value?.length).toBeGreaterThan(0);
          await iterator.return?.();
          expect(await iterator.next()).toEqual({ done: true, value: undefined });
        })(),
      );
    });

    describe('close', () => {
      testInWorld(
        'ends the connection of a body that is not read; repeated calls do nothing',
        async ({ files, serve }) => {
          const file = await files.open(serve(whole(bytes)), { signal: never() });
          file.close();
          file.close();
          expect(await thrownBy(readAll(file.body))).toBeInstanceOf(Error);
        },
      );

      testInWorld('makes a waiting reader throw', async ({ files, serve }) => {
        const file = await files.open(serve({ chunks: [bytes], announcedSize: null, ending: 'stalled' }), {
          signal: never(),
        });
        const iterator = file.body[Symbol.asyncIterator]();
        for (let came = 0; came < bytes.length; ) came += (await iterator.next()).value?.length ?? 0;
        const waiting = iterator.next();
        file.close();
        expect(await thrownBy(waiting)).toMatchObject({ name: 'AbortError' });
        expect(await thrownBy(iterator.next())).toMatchObject({ name: 'AbortError' });
      });
    });

    describe('the signal', () => {
      const reason = new Error('The server is going down.');

      testInWorld('makes open throw its reason if it is already aborted', async ({ files, serve }) => {
        const opening = files.open(serve(whole(bytes)), { signal: AbortSignal.abort(reason) });
        expect(await thrownBy(opening)).toBe(reason);
      });

      testInWorld('makes a waiting open throw its reason', async ({ files, serve }) => {
        const controller = new AbortController();
        const opening = files.open(serve('silent'), { signal: controller.signal });
        controller.abort(reason);
        expect(await thrownBy(opening)).toBe(reason);
      });

      testInWorld('makes a waiting reader throw its reason', async ({ files, serve }) => {
        const controller = new AbortController();
        const url = serve({ chunks: [bytes], announcedSize: null, ending: 'stalled' });
        const iterator = (await files.open(url, { signal: controller.signal })).body[Symbol.asyncIterator]();
        for (let came = 0; came < bytes.length; ) came += (await iterator.next()).value?.length ?? 0;
        const waiting = iterator.next();
        controller.abort(reason);
        expect(await thrownBy(waiting)).toBe(reason);
        expect(await thrownBy(iterator.next())).toBe(reason);
      });

      testInWorld('and close do nothing after the end', async ({ files, serve }) => {
        const controller = new AbortController();
        const file = await files.open(serve(whole(bytes)), { signal: controller.signal });
        const iterator = file.body[Symbol.asyncIterator]();
        while (!(await iterator.next()).done);
        controller.abort(reason);
        file.close();
        expect(await iterator.next()).toEqual({ done: true, value: undefined });
      });
    });
  });
}
