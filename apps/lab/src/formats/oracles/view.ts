import type { Fingerprint } from '../fingerprint.ts';
import type { Specimen } from '../specimen.ts';

/** Everything that a program reports about a file. A field is absent if the program doesn't report it. */
export interface View {
  /** Whether the program shows an image. */
  readonly shows: boolean;
  /** The media type of the file. */
  readonly type?: string;
  /** The width in pixels, as displayed. */
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  /** The fingerprint of the image; for a video, of its frame after one second. */
  readonly fingerprint?: Fingerprint;
  /** The difference between the stored file and the oracle's image. */
  readonly loss?: Loss;
  /** The image's metadata in the specimen (`here`) and in the stored copy (`stored`). */
  readonly metadata?: { readonly here: string; readonly stored: string };
  /** Notes on which exceptions and limits depend. */
  readonly notes?: readonly string[];
}

/** Differences between the samples of two images, after each sample (0 to 255) has been multiplied by its opacity. */
export interface Loss {
  readonly mean: number;
  readonly max: number;
  /** The peak signal-to-noise ratio in dB; 99 means that there is no difference. */
  readonly psnr: number;
}

/** The oracles' views of a file, by the names of the oracles. */
export type Views = ReadonlyMap<string, View>;

/** A program that shows files, or reports their contents. */
export interface Oracle {
  readonly name: string;
  /**
   * Inspects a file.
   *
   * @param original returns the stored file, if it has been accepted
   * @returns null for a file that this program doesn't judge
   */
  inspect(specimen: Specimen, original?: () => Promise<Uint8Array>): Promise<View | null>;
  close(): Promise<void>;
}

export type Kind = 'jpeg' | 'png' | 'gif' | 'webp' | 'movie' | 'heif' | 'other';

/** Guesses a file's kind from its first bytes, only to decide which oracles to query. */
export async function kindOf({ path }: Specimen): Promise<Kind> {
  const head = Buffer.from(await Bun.file(path).slice(0, 16).bytes());
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8')) return 'jpeg';
  if (text.startsWith('\x89PNG')) return 'png';
  if (text.startsWith('GIF8')) return 'gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  if (text.slice(4, 8) === 'ftyp' && HEIF_BRANDS.has(text.slice(8, 12))) return 'heif';
  return MOVIE_BOXES.has(text.slice(4, 8)) ? 'movie' : 'other';
}

const MOVIE_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'uuid', 'udta', 'styp', 'moof']);

const HEIF_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1', 'avif', 'avis']);

/** Whether the file's pixels are coded in AV1, judging by its first bytes. */
export const isAvif = async ({ path }: Specimen): Promise<boolean> =>
  /av01|avis/.test(
    Buffer.from(
      await Bun.file(path)
        .slice(0, 64 * 1024)
        .bytes(),
    ).toString('latin1'),
  );
