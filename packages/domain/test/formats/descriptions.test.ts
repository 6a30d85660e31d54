import { describe, expect, test } from 'bun:test';
import {
  chromaOf,
  declaredColours,
  descriptionsOf,
  entriesOf,
  extensionsOf,
  type ParentBox,
  trackSkeleton,
} from '@postshelf/domain/formats';
import fc from 'fast-check';

function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...content]);
}

/** The fields of a video's description before its boxes (ISO/IEC 14496-12, section 12.1.3). */
const FIELDS = Buffer.alloc(78);
const description = (type: string, ...boxes: readonly Uint8Array[]) => box(type, FIELDS, ...boxes);
const colours = (kind: string, ...numbers: readonly number[]) =>
  box('colr', Buffer.from(kind), Buffer.from(numbers.flatMap((number) => [0, number])));

function trackWith(...entries: readonly Uint8Array[]): ParentBox {
  const content = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, entries.length]), ...entries]);
  const tables = { type: 'stbl', children: [{ type: 'stsd', content }] };
  return { type: 'trak', children: [{ type: 'mdia', children: [{ type: 'minf', children: [tables] }] }] };
}

/** Returns the type of each description, with the types of the boxes in it. */
function typesIn(track: ParentBox): readonly (readonly [string, ...string[]])[] {
  const list = descriptionsOf(track);
  if (list === null) return [];
  return Array.from(entriesOf(list), (entry) => [
    entry.type,
    ...Array.from(extensionsOf(list, entry), ({ type }) => type),
  ]);
}

describe('the sample descriptions of a track', () => {
  const two = [description('avc1', box('avcC'), colours('nclx', 1, 1, 1)), description('hvc1', box('hvcC'))];

  test('are listed with the boxes in each', () => {
    expect(typesIn(trackWith(...two))).toEqual([
      ['avc1', 'avcC', 'colr'],
      ['hvc1', 'hvcC'],
    ]);
  });

  test('end before a box that is smaller than its header, or reaches past the end', () => {
    const [small, long] = [Buffer.from('\0\0\0\x07abcd'), Buffer.from('\0\0\x01\0abcd')];
    for (const bad of [small, long]) {
      expect(typesIn(trackWith(...two, bad))).toHaveLength(2);
      expect(typesIn(trackWith(description('avc1', box('pasp'), bad, box('colr'))))).toEqual([['avc1', 'pasp']]);
    }
    expect(typesIn(trackWith(box('avc1', Buffer.alloc(20))))).toEqual([['avc1']]);
    expect(typesIn({ type: 'trak', children: [] })).toEqual([]);
  });

  test('stay within the list, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const list = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        let last = 8;
        for (const entry of entriesOf(list)) {
          expect(entry.from).toBe(last);
          for (const { from, end } of extensionsOf(list, entry)) {
            expect(from).toBeGreaterThan(entry.from);
            expect(end).toBeLessThanOrEqual(entry.end);
          }
          last = entry.end;
        }
        expect(last).toBeLessThanOrEqual(Math.max(8, bytes.length));
      }),
    );
  });

  test('give only the colours and chroma of the first description', () => {
    const first = description('avc1', box('hvcC', Buffer.alloc(16), Buffer.of(0xfe)), colours('nclc', 9, 18, 9));
    const track = trackWith(first, ...two);
    expect(declaredColours(track)).toEqual({ transfer: 18, matrix: 9 });
    expect(chromaOf(track)).toBe('4:2:2');
    expect(declaredColours(trackWith(description('avc1', colours('nclx', 9, 18))))).toBeNull();
    expect(chromaOf(trackWith(description('ap4h')))).toBe('4:4:4');
    expect([declaredColours(trackWith()), chromaOf(trackWith())]).toEqual([null, null]);
  });

  test('keep everything but their colours in a track skeleton', () => {
    const track = trackWith(
      description('avc1', colours('nclx', 1, 1, 1), box('pasp')),
      description('avc1', box('colr')),
    );
    const skeleton = Buffer.from(trackSkeleton({ type: 'moov', children: [track] }, track, 'video/mp4'));
    expect(skeleton.includes('colr')).toBe(false);
    expect(skeleton.includes('pasp')).toBe(true);
    expect(typesIn(track)).toEqual([
      ['avc1', 'colr', 'pasp'],
      ['avc1', 'colr'],
    ]);
  });
});
