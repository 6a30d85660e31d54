import { describe, expect, test } from 'bun:test';
import {
  type ByteSource,
  type Inspection,
  isMediaType,
  isSound,
  type MediaFacts,
  type MediaInspector,
  type MediaType,
  type UnsupportedFile,
} from '@postshelf/domain';
import { sourceOf } from '../../fixtures/byte-sources.ts';

interface InspectorSample {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface ReadableSample extends InspectorSample {
  readonly facts: Omit<MediaFacts, 'details'>;
}

export interface InspectorSamples {
  /** Samples of the six accepted types, at least one of each. */
  readonly readable: readonly ReadableSample[];
  /** Files that begin like one of the six accepted types but are invalid. */
  readonly broken: readonly (InspectorSample & { readonly type: MediaType })[];
  /** Files with a valid beginning but missing media data. */
  readonly damaged: readonly (InspectorSample & { readonly type: MediaType })[];
  /** Files that begin like a type that isn't accepted. */
  readonly other: readonly InspectorSample[];
}

/** Maximum bytes that one inspection may read if arbitrary data follows a file of a few kilobytes. */
const READ_BUDGET = 80 * 1024 * 1024;

/**
 * The contract of {@link MediaInspector}. The adapter's test provides the files, because adapters differ in what they
 * can read.
 */
export function describeMediaInspector(name: string, create: () => MediaInspector, samples: InspectorSamples): void {
  describe(`${name} as a media inspector`, () => {
    describe('recognises', () => {
      test.each([...samples.readable])('$name by its first bytes', async ({ bytes, facts }) => {
        const inspector = create();
        expect(typeOf(await inspector.recognise(bytes.slice(0, inspector.headLength)))).toBe(facts.type);
      });

      test.each([...samples.broken, ...samples.damaged])(
        '$name as the type that it begins as',
        async ({ bytes, type }) => {
          const inspector = create();
          expect(typeOf(await inspector.recognise(bytes.slice(0, inspector.headLength)))).toBe(type);
        },
      );

      test.each([...samples.other])('no supported type in $name', async ({ bytes }) => {
        const inspector = create();
        expect(typeOf(await inspector.recognise(bytes.slice(0, inspector.headLength)))).toBeNull();
      });

      test('nothing in no bytes', async () => {
        expect(await create().recognise(new Uint8Array())).toBeNull();
      });

      test.each([...samples.readable])('a type or nothing in any first bytes of $name', async ({ bytes }) => {
        const inspector = create();
        for (let length = 0; length < 64; length += 1) {
          const type = typeOf(await inspector.recognise(bytes.slice(0, length)));
          expect(type === null || isMediaType(type)).toBe(true);
        }
      });
    });

    describe('inspects', () => {
      test.each([...samples.readable])('$name', async ({ bytes, facts }) => {
        expect(await create().inspect(sourceOf(bytes))).toMatchObject(facts);
      });

      test.each([...samples.broken])('$name with the result null', async ({ bytes }) => {
        expect(await create().inspect(sourceOf(bytes))).toBeNull();
      });

      test.each([...samples.other])('$name with its actual type, if that is known', async ({ bytes }) => {
        const found = await create().inspect(sourceOf(bytes));
        if (found !== null) expect(found).toMatchObject({ type: null, fault: expect.stringMatching(/^is an? .*\.$/) });
      });

      test.each([...samples.damaged])('$name with the result damaged', async ({ bytes }) => {
        expect(await create().inspect(sourceOf(bytes))).toBe('damaged');
      });

      test('no bytes with the result null', async () => {
        expect(await create().inspect(sourceOf(new Uint8Array()))).toBeNull();
      });

      test.each([...samples.readable])('the first 12 bytes of $name without returning facts', async ({ bytes }) => {
        expect(isRefusal(await create().inspect(sourceOf(bytes.slice(0, 12))))).toBe(true);
      });

      test('many files concurrently and independently', async () => {
        const inspector = create();
        const five = Array.from({ length: 5 }, () => samples.readable).flat();
        const facts = await Promise.all(five.map(({ bytes }) => inspector.inspect(sourceOf(bytes))));
        expect(facts).toMatchObject(five.map((sample) => sample.facts));
      });
    });

    describe('the source of an inspection', () => {
      test.each([...samples.readable])('is read within its bounds, for $name', async ({ bytes, facts }) => {
        const watched = watch(sourceOf(bytes));
        expect(await create().inspect(watched.source)).toMatchObject(facts);
        expect(watched.reads.every(({ offset, length }) => offset >= 0 && length > 0)).toBe(true);
      });

      test.each([...samples.readable])('is not read whole when 2 GB follow $name', async ({ bytes }) => {
        const watched = watch(followedByZeros(bytes, 2 * 1024 ** 3));
        await create().inspect(watched.source);
        expect(watched.reads.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(READ_BUDGET);
      });

      test.each([...samples.readable])('may end before its declared size, for $name', async ({ bytes }) => {
        const source = { ...sourceOf(bytes.slice(0, 16)), size: bytes.length };
        expect(isRefusal(await create().inspect(source))).toBe(true);
      });

      test.each([...samples.readable])('has its errors rethrown, for $name', async ({ bytes, facts }) => {
        const inspector = create();
        for (let reads = 0; ; reads += 1) {
          const failing = failAfter(reads, sourceOf(bytes));
          const answer = await inspector.inspect(failing.source).catch((error: unknown) => error);
          if (!failing.failed()) {
            expect(answer).toMatchObject(facts);
            expect(reads).toBeGreaterThan(0);
            break;
          }
          expect(answer).toBe(failing.error);
        }
      });
    });
  });
}

const typeOf = (found: MediaType | UnsupportedFile | null): MediaType | null =>
  typeof found === 'string' ? found : null;

const isRefusal = (verdict: Inspection): boolean => !isSound(verdict);

function watch(source: ByteSource) {
  const reads: { offset: number; length: number }[] = [];
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    reads.push({ offset, length });
    return source.read(offset, length);
  };
  return { source: { ...source, read }, reads };
}

function followedByZeros(bytes: Uint8Array, size: number): ByteSource {
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const piece = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    piece.set(bytes.subarray(offset, offset + piece.length));
    return piece;
  };
  return { size, read };
}

function failAfter(reads: number, source: ByteSource) {
  const error = new Error('The storage is out of reach.');
  let done = 0;
  let failed = false;
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    done += 1;
    if (done <= reads) return source.read(offset, length);
    failed = true;
    throw error;
  };
  return { source: { ...source, read }, error, failed: () => failed };
}
