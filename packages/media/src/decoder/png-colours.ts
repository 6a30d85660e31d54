import { deflateSync, inflateSync } from 'node:zlib';
import { ForwardReader, PNG_CHUNK_HEADER, PNG_SIGNATURE, type PngChunk, pngChunks } from '@postshelf/domain/formats';
import { BT709, type Chromaticities, CURVES, displayProfile, PRIMARIES, profileOfGrey } from './colour-profile.ts';
import { hasCorrectCrc, pngChunk } from './png.ts';

/** The number that means 1 in `gAMA` and `cHRM`. */
const UNITS = 100_000;

/**
 * The gamma that stands for sRGB, although sRGB's curve isn't a pure power function; and the maximum deviation from it.
 * Both are in {@link UNITS}.
 */
const [USUAL_GAMMA, CLOSE] = [45_455, 2000];

/** Maximum size of a profile, in bytes. Usual profiles have a few thousand. */
const MAX_PROFILE = 1024 * 1024;

/**
 * Returns a profile for colours that a PNG specifies in a way that Bun's decoder doesn't understand: `cICP`, `gAMA` and
 * `cHRM`, and grey profiles. `cICP` takes precedence over a profile, a profile over `sRGB`, and `sRGB` over `gAMA` and
 * `cHRM` (PNG, section 4.3).
 *
 * @returns the chunk `iCCP`; null if none is needed
 */
export function colourChunkOf(png: Uint8Array): Uint8Array | null {
  const found = contentsBeforeData(png);
  const profile =
    profileOfNumbers(found.get('cICP')) ??
    (isGrey(png) ? inflatedProfileOfGrey(found.get('iCCP')) : null) ??
    (found.has('iCCP') || found.has('sRGB') ? null : profileOfGamma(found.get('gAMA'), found.get('cHRM')));
  return profile && pngChunk('iCCP', Buffer.concat([Buffer.from('colours\0\0', 'latin1'), deflateSync(profile)]));
}

/** Whether the colour type is 0 or 4 (PNG, section 11.2.1). */
const isGrey = (png: Uint8Array): boolean => [0, 4].includes(png[PNG_SIGNATURE + PNG_CHUNK_HEADER + 9] ?? 0);

const NAMES = new Set(['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM']);

/** Whether a PNG has a profile that decoders skip, because its CRC is wrong. */
export function hasBrokenProfile(png: Uint8Array): boolean {
  for (const chunk of chunksBeforeData(png)) if (chunk.type === 'iCCP') return !hasCorrectCrc(png, chunk);
  return false;
}

/** Returns the contents of the chunks in {@link NAMES} that decoders don't skip, by their names. */
function contentsBeforeData(png: Uint8Array): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const chunk of chunksBeforeData(png)) {
    const { type, at, length } = chunk;
    const from = at + PNG_CHUNK_HEADER;
    if (NAMES.has(type) && !found.has(type) && hasCorrectCrc(png, chunk))
      found.set(type, Buffer.from(png.subarray(from, from + length)));
  }
  return found;
}

function* chunksBeforeData(png: Uint8Array): Generator<PngChunk> {
  const reader = ForwardReader.over(png);
  reader.skip(PNG_SIGNATURE);
  for (const chunk of pngChunks(reader)) {
    if (typeof chunk === 'number' || chunk.type === 'IDAT') return;
    yield chunk;
  }
}

function profileOfNumbers(content: Buffer | undefined): Uint8Array | null {
  const [primaries = 0, transfer = 0, matrix, isFull] = content ?? [];
  const [space, curve] = [PRIMARIES[primaries], CURVES[transfer]];
  if (matrix !== 0 || isFull !== 1 || !space || !curve) return null;
  return primaries === 1 && curve === 'sRGB' ? null : displayProfile(space, curve);
}

function profileOfGamma(gamma: Buffer | undefined, chromaticities: Buffer | undefined): Uint8Array | null {
  const value = gamma?.length === 4 ? gamma.readUInt32BE() : USUAL_GAMMA;
  // Values outside these bounds are mistakes.
  if (value < UNITS / 10 || value > UNITS * 10) return null;
  const space = spaceOf(chromaticities);
  if (Math.abs(value - USUAL_GAMMA) <= CLOSE) return space && displayProfile(space, 'sRGB');
  return displayProfile(space ?? BT709, { gamma: UNITS / value });
}

/** Returns the colour space; null if it is missing or equals that of sRGB. */
function spaceOf(content: Buffer | undefined): Chromaticities | null {
  if (content?.length !== 32) return null;
  const at = (index: number): number => content.readUInt32BE(4 * index) / UNITS;
  const space: Chromaticities = [
    [at(0), at(1)],
    [at(2), at(3)],
    [at(4), at(5)],
    [at(6), at(7)],
  ];
  const isUsual = space.flat().every((value, index) => Math.abs(value - (BT709.flat()[index] ?? 0)) < 0.003);
  return isUsual ? null : space;
}

/** Returns the decompressed profile if it is a grey one, converted to RGB; otherwise null. */
function inflatedProfileOfGrey(content: Buffer | undefined): Uint8Array | null {
  if (content === undefined) return null;
  try {
    return profileOfGrey(inflateSync(content.subarray(content.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE }));
  } catch {
    // Decoders ignore a damaged profile.
    return null;
  }
}
