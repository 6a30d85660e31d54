import type { Picture } from '../picture.ts';
import type { Specimen } from '../specimen.ts';

/** What a program shows of a file; absent is what it doesn't say. */
export interface View {
  /** Whether it shows a picture. */
  readonly shows: boolean;
  /** A media type. */
  readonly type?: string;
  /** In pixels, as displayed. */
  readonly width?: number;
  readonly height?: number;
  readonly seconds?: number;
  /** Of a video that of its first second. */
  readonly picture?: Picture;
  /** What exceptions and limits depend on. */
  readonly notes?: readonly string[];
}

/** What each oracle shows of a file, by its name. */
export type Views = ReadonlyMap<string, View>;

/** A program that shows files, or says what is in them. */
export interface Oracle {
  readonly name: string;
  /** @returns null for a file that it doesn't judge */
  look(specimen: Specimen): Promise<View | null>;
  close(): Promise<void>;
}

export type Kind = 'jpeg' | 'png' | 'gif' | 'webp' | 'movie' | 'other';

/** By the first bytes, as crudely as it serves to choose who is asked. */
export async function kindOf({ path }: Specimen): Promise<Kind> {
  const head = Buffer.from(await Bun.file(path).slice(0, 16).bytes());
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8')) return 'jpeg';
  if (text.startsWith('\x89PNG')) return 'png';
  if (text.startsWith('GIF8')) return 'gif';
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'webp';
  return MOVIE_BOXES.has(text.slice(4, 8)) ? 'movie' : 'other';
}

const MOVIE_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide', 'pnot', 'uuid', 'udta', 'styp', 'moof']);
