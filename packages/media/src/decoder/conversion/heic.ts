import { pathToFileURL } from 'node:url';
import type { Libheif } from 'libheif-js/libheif-wasm/libheif-bundle.mjs';
import { CannotLoad } from '../cannot-load.ts';
import { divideByAlpha, type Raster } from './raster.ts';

/** `heif_colorspace_RGB`, `heif_channel_interleaved`, and the interleaved values of `heif_chroma`. */
const [RGB, INTERLEAVED] = [1, 10];
const CHROMA = { bytes: { 3: 10, 4: 11 }, words: { 3: 14, 4: 15 } } as const;

export interface HeicOptions {
  /** The path of another build of libheif; null for the one in the program. */
  readonly library: string | null;
  /** Whether to ignore the file's rotation, mirroring and cropping. */
  readonly isPlain: boolean;
  /** Whether more than 8 bits are wanted if the file has them. */
  readonly isDeep: boolean;
  readonly maxPixels: number;
}

/** Flags in `heif_decoding_options`: the offset of each, and the first version of the structure that has it. */
const FLAGS = {
  /** Reports an error for an image with a missing tile. */
  strict_decoding: { at: 21, since: 3 },
  /** Accepts the files of some cameras, which contradict themselves. */
  autocorrect_broken_input: { at: 68, since: 9 },
  /** Doesn't rotate, mirror or crop. */
  ignore_transformations: { at: 1, since: 1 },
  /** Keeps colours in the space that the file names. */
  output_image_nclx_profile_passthrough: { at: 69, since: 10 },
} as const;

/**
 * Decodes the primary image of a HEIC file, or the first image of its sequence.
 *
 * @throws CannotLoad; Error if the image can't be decoded, or has more than `maxPixels` pixels
 */
export async function decodeHeic(
  bytes: Uint8Array,
  { library, isPlain, isDeep, maxPixels }: HeicOptions,
): Promise<Raster> {
  const heif = await load(library);
  const address = heif._malloc(bytes.length);
  heif.HEAPU8.set(bytes, address);
  const context = heif._heif_context_alloc();
  heif._heif_context_set_maximum_image_size_limit(context, Math.floor(Math.sqrt(maxPixels)));
  const call = callsOf(heif);
  call((error) => heif._heif_context_read_from_memory(error, context, address, bytes.length, 0));
  const { decode, channels } = openPrimary(heif, call, context, maxPixels);
  const options = optionsOf(heif, isPlain);
  const chroma = (isDeep ? CHROMA.words : CHROMA.bytes)[channels];
  const image = pointer(heif, (result) => call((error) => decode(error, result, chroma, options)));
  const raster = rasterOf(heif, image, channels, isDeep);
  if (channels === 4 && heif._heif_image_is_premultiplied_alpha(image) !== 0) divideByAlpha(raster);
  return raster;
}

async function load(library: string | null): Promise<Libheif> {
  const silent = () => undefined;
  try {
    const { default: factory }: typeof import('libheif-js/libheif-wasm/libheif-bundle.mjs') = await (library === null
      ? import('libheif-js/libheif-wasm/libheif-bundle.mjs')
      : import(pathToFileURL(library).href));
    return factory({ print: silent, printErr: silent });
  } catch (cause) {
    throw new CannotLoad('libheif cannot be loaded.', { cause });
  }
}

type Call = (work: (error: number) => void) => void;

/** Returns a function that makes a call to libheif, and throws if the call's `heif_error` reports a failure. */
function callsOf(heif: Libheif): Call {
  const error = heif._malloc(12);
  return (work) => {
    work(error);
    if (heif.HEAP32[error >> 2] === 0) return;
    const start = heif.HEAP32[(error >> 2) + 2] ?? 0;
    const message = heif.HEAPU8.subarray(start, heif.HEAPU8.indexOf(0, start));
    throw new Error(`libheif: ${Buffer.from(message).toString()}`);
  };
}

/** Calls `work` with the address of a result, and returns the pointer that it writes there. */
function pointer(heif: Libheif, work: (result: number) => void): number {
  const result = heif._malloc(4);
  work(result);
  return heif.HEAP32[result >> 2] ?? 0;
}

function optionsOf(heif: Libheif, isPlain: boolean): number {
  const options = heif._heif_decoding_options_alloc();
  const version = heif.HEAPU8[options] ?? 0;
  for (const [name, { at, since }] of Object.entries(FLAGS)) {
    if (version >= since && (name !== 'ignore_transformations' || isPlain)) heif.HEAPU8[options + at] = 1;
  }
  return options;
}

interface Primary {
  readonly channels: Raster['channels'];
  readonly decode: (error: number, image: number, chroma: number, options: number) => void;
}

/**
 * Opens the primary image.
 *
 * @throws Error if there is no image, or it has too many pixels
 */
function openPrimary(heif: Libheif, call: Call, context: number, maxPixels: number): Primary {
  if (heif._heif_context_has_sequence(context) !== 0 && !hasPrimary(heif, context)) {
    const track = heif._heif_context_get_track(context, 0);
    if (track === 0) throw new Error('The sequence has no images.');
    return {
      channels: 3,
      decode: (error, image, chroma, options) =>
        heif._heif_track_decode_next_image(error, track, image, RGB, chroma, options),
    };
  }
  const handle = pointer(heif, (result) =>
    call((error) => heif._heif_context_get_primary_image_handle(error, context, result)),
  );
  const [width, height] = [heif._heif_image_handle_get_width(handle), heif._heif_image_handle_get_height(handle)];
  if (width * height > maxPixels) throw new Error('The image has too many pixels.');
  return {
    channels: heif._heif_image_handle_has_alpha_channel(handle) === 0 ? 3 : 4,
    decode: (error, image, chroma, options) => heif._heif_decode_image(error, handle, image, RGB, chroma, options),
  };
}

function hasPrimary(heif: Libheif, context: number): boolean {
  const [error, handle] = [heif._malloc(12), heif._malloc(4)];
  heif._heif_context_get_primary_image_handle(error, context, handle);
  return heif.HEAP32[error >> 2] === 0;
}

/** Returns a view of the image's memory. */
function rasterOf(heif: Libheif, image: number, channels: Raster['channels'], isDeep: boolean): Raster {
  const stride = heif._malloc(8);
  const plane = heif._heif_image_get_plane_readonly2(image, INTERLEAVED, stride);
  const [width, height] = [
    heif._heif_image_get_width(image, INTERLEAVED),
    heif._heif_image_get_height(image, INTERLEAVED),
  ];
  const row = heif.HEAP32[stride >> 2] ?? 0;
  if (plane === 0 || width < 1 || height < 1) throw new Error('The image has no pixels.');
  const { buffer, byteOffset } = heif.HEAPU8.subarray(plane);
  const samples = isDeep
    ? new Uint16Array(buffer, byteOffset, (row / 2) * height)
    : new Uint8Array(buffer, byteOffset, row * height);
  return {
    ...{ width, height, channels, samples },
    stride: isDeep ? row / 2 : row,
    bits: heif._heif_image_get_bits_per_pixel_range(image, INTERLEAVED),
  };
}
