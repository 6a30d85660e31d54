import { describe, expect, test } from 'bun:test';
import { type FoundFile, type Source, type SourceEntry, Unreadable } from '@postshelf/domain';
import { sampleBytes } from '../objects/samples.ts';

/** A source, and ways to change it from outside. */
interface Opened {
  readonly source: Source;
  put(path: string, bytes: Uint8Array): Promise<unknown>;
  remove(path: string): Promise<unknown>;
  close(): Promise<unknown>;
}

/** The contract of every source of files. `open` returns an empty one each time. */
export function describeSource(name: string, open: () => Promise<Opened>): void {
  const testSource = (what: string, run: (opened: Opened) => Promise<void>): void =>
    test(what, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        opened.source.close();
        await opened.close();
      }
    });

  describe(`${name} as a source`, () => {
    testSource('finds every file, with its size and time', async ({ source, put }) => {
      const before = Date.now();
      const sizes = { 'a.png': 1, 'b/c.png': 20, 'b/d/ü =+"\' .png': 3, 'b c/e.png': 4, 'b.png': 5 };
      for (const [path, size] of Object.entries(sizes)) await put(path, sampleBytes(size));
      const found = await filesOf(source);
      expect(Object.fromEntries(found.map(({ path, size }) => [path, size]))).toEqual(sizes);
      for (const { path, modifiedAt } of found) {
        expect(Math.abs(modifiedAt - before)).toBeLessThan(60_000);
        const file = await source.open(path);
        expect(file.modifiedAt).toBe(modifiedAt);
        await file.close();
      }
    });

    testSource('leaves out files and whole folders, each once', async ({ source, put }) => {
      for (const path of ['.a/b/c.png', '.a/d.png', 'e/.f.png', 'e/g.png', '.ab.png']) await put(path, sampleBytes(1));
      const asked = new Set<string>();
      const entries = await all(
        source.entries((path) => {
          asked.add(path);
          return /(^|\/)\.[^/]*$/.test(path) ? 'It is hidden.' : null;
        }),
      );
      const leftOut = entries.filter(({ kind }) => kind === 'left_out').map(({ path }) => path);
      expect(leftOut.sort()).toEqual(['.a', '.ab.png', 'e/.f.png']);
      expect(entries.filter(({ kind }) => kind === 'file').map(({ path }) => path)).toEqual(['e/g.png']);
      expect([...asked].filter((path) => path.startsWith('.a/'))).toEqual([]);
    });

    testSource('reads files, also empty and large ones', async ({ source, put }) => {
      for (const size of [0, 1, 3_000_000]) {
        const bytes = sampleBytes(size);
        await put('a.png', bytes);
        const file = await source.open('a.png');
        expect(file.size).toBe(size);
        expect(Buffer.concat(await copies(file.chunks)).equals(bytes)).toBe(true);
        await file.close();
      }
    });

    testSource('reports that a file is missing', async ({ source, put, remove }) => {
      await put('a.png', sampleBytes(1));
      await remove('a.png');
      expect(await failureOf(source.open('a.png'))).toMatchObject({
        message: 'It is no longer there.',
        hasChanged: false,
      });
    });

    testSource('reports that a file changed while it was read', async ({ source, put }) => {
      await put('a.png', sampleBytes(3_000_000));
      const file = await source.open('a.png');
      // The new file is longer than the one that is being read.
      await put('a.png', sampleBytes(3_000_001));
      const failure = await failureOf(copies(file.chunks));
      await file.close();
      expect(failure).toMatchObject({ message: 'It changed while it was read.', hasChanged: true });
    });
  });
}

async function filesOf(source: Source): Promise<FoundFile[]> {
  const entries = await all(source.entries(() => null));
  return entries.filter((entry) => entry.kind === 'file');
}

async function all(entries: AsyncIterable<SourceEntry>): Promise<SourceEntry[]> {
  const found: SourceEntry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

async function copies(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for await (const chunk of chunks) found.push(new Uint8Array(chunk));
  return found;
}

async function failureOf(work: Promise<unknown>): Promise<Unreadable> {
  const failure = await work.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof Unreadable)) throw new Error(`Not unreadable: ${failure}`);
  return failure;
}
