import { type ByteSource, defectCode, type Inspection, isSound, type MediaFacts } from '@postshelf/domain';
import { createMediaInspector, pixelsDecode } from '@postshelf/media';
import { weighted } from '../arbitraries/text.ts';
import { makeBytes } from '../bytes/bytes.ts';
import type { InspectionCase } from '../case.ts';
import { brokenMedia, cutImage, trailedImage } from '../formats/mutation.ts';
import type { Verdict } from '../oracle/judge.ts';

/** The same inspector as in the service, which runs it in a sandboxed child process. */
const inspector = createMediaInspector({
  pixelsDecode: async (type, source) => pixelsDecode(type, await source.read(0, source.size)),
});

/** Maximum milliseconds for inspecting one file on a busy machine. An ordinary file takes two. */
const MAX_MS = 5000;
/** Maximum bytes that may be read from one file: the inspector's own limit plus the head. */
const MAX_READ = 66 * 1024 * 1024;

/** Tests the inspector without a service, with thousands of files a second. */
export const inspect = {
  about: 'media files that are changed, truncated or followed by other bytes, inspected in this process',
  // Batches can be large, because inspecting a file in this process is fast.
  batch: 2000,
  cases: weighted(
    [8, brokenMedia.map((file): InspectionCase => ({ kind: 'inspection', file }))],
    [1, cutImage.map((file): InspectionCase => ({ kind: 'inspection', file, expected: 'refused' }))],
    [1, trailedImage.map((file): InspectionCase => ({ kind: 'inspection', file, expected: 'taken' }))],
  ),
};

/** Inspects a file. The inspector must return the media's properties, a defect, or null, and must never throw. */
export async function playInspection({ file, expected }: InspectionCase): Promise<Verdict> {
  const bytes = makeBytes(file);
  let [reads, read] = [0, 0];
  const source: ByteSource = {
    size: bytes.length,
    read: async (from, length) => {
      reads += 1;
      const piece = bytes.slice(from, from + length);
      read += piece.length;
      return piece;
    },
  };
  const start = performance.now();
  let facts: Inspection;
  try {
    facts = await inspector.inspect(source);
  } catch (error) {
    return { complaints: [`The inspector threw ${error}.`], signature: 'thrown' };
  }
  const complaints: string[] = [];
  const ms = performance.now() - start;
  if (ms > MAX_MS) complaints.push(`The inspector took ${Math.round(ms)} ms.`);
  if (read > MAX_READ) complaints.push(`The inspector read ${read} bytes.`);
  const verdict = isSound(facts) ? 'taken' : 'refused';
  if (expected !== undefined && verdict !== expected) complaints.push(`The inspector has ${verdict} the file.`);
  if (isSound(facts)) complaints.push(...implausible(facts));
  const size = Math.ceil(Math.log2(1 + reads));
  const shape = isSound(facts)
    ? `${facts.type} ${magnitude(facts.width)}x${magnitude(facts.height)}`
    : facts === null
      ? 'refused'
      : defectCode(facts);
  return { complaints, signature: `${shape} ${size}` };
}

function implausible(facts: MediaFacts): readonly string[] {
  const { type, width, height, time } = facts;
  const isSide = (side: number): boolean => Number.isInteger(side) && side >= 1 && side <= 65_535;
  const isTime = type.startsWith('image/') ? time === null : time !== null && Number.isInteger(time) && time >= 1;
  return isSide(width) && isSide(height) && isTime ? [] : [`The inspector found ${JSON.stringify(facts)}.`];
}

/** Returns the order of magnitude: 96 and 100 have the same one, 96 and 60000 don't. */
const magnitude = (pixels: number): number => Math.ceil(Math.log10(pixels));
