import { readFileSync } from 'node:fs';
import wasm from '@jsquash/avif/codec/dec/avif_dec.wasm' with { type: 'file' };
import { CannotLoad } from '../cannot-load.ts';
import type { Raster } from './raster.ts';

/** Bits per sample of a deep image, enough for HDR. */
const DEEP = 10;

/**
 * Decodes the primary image of an AVIF file, or the first image of its sequence. Doesn't turn, mirror or crop it.
 *
 * @param isDeep whether more than 8 bits are wanted
 * @throws CannotLoad; Error if it can't be decoded
 */
export async function decodeAvif(bytes: Uint8Array, isDeep: boolean): Promise<Raster> {
  const avif = await load();
  const decoded = avif.decode(bytes, isDeep ? DEEP : 8);
  if (decoded === null) throw new Error('libavif cannot decode the image.');
  const { width, height, data } = decoded;
  const samples = data instanceof Uint16Array ? data : new Uint8Array(data.buffer, data.byteOffset, data.length);
  return { width, height, channels: 4, stride: 4 * width, samples, bits: isDeep ? DEEP : 8 };
}

async function load() {
  const silent = () => undefined;
  try {
    const { default: factory } = await import('@jsquash/avif/codec/dec/avif_dec.js');
    const options = { noInitialRun: true, wasmBinary: readFileSync(wasm), print: silent, printErr: silent };
    return await factory(options);
  } catch (cause) {
    throw new CannotLoad('libavif cannot be loaded.', { cause });
  }
}
