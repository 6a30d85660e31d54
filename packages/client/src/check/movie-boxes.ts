import { BoundedReader, BoxTree, boxesBetween, hasEdits, movieSeconds, type Plan } from '@postshelf/domain/formats';
import { sourceOf } from './source-of.ts';
import { UnreadableFile } from './unreadable-file.ts';

export interface MovieBoxes {
  /** Whether the movie box comes before the media data. */
  readonly moovFirst: boolean;
  /** Whether an edit list skips, delays, repeats or retimes anything. */
  readonly editList: boolean;
  readonly durationMs: number | null;
  readonly isFragmented: boolean;
}

const LIMITS = { budget: 64 * 1024 * 1024, window: 64 * 1024 };

const MOVIE: Plan = {
  mvhd: 'content',
  trak: { edts: { elst: 'content' }, mdia: { mdhd: 'content' } },
  mvex: 'table',
};

/** @throws UnreadableFile if there is no movie box; Unreadable if it doesn't parse, or is too large */
export async function readMovieBoxes(file: Blob): Promise<MovieBoxes> {
  const reader = new BoundedReader(sourceOf(file), LIMITS);
  let moovFirst = true;
  for await (const box of boxesBetween(reader, 0, file.size)) {
    if (box.type === 'mdat') moovFirst = false;
    if (box.type !== 'moov') continue;
    const movie = await new BoxTree().keep(reader, box, MOVIE);
    const isFragmented = movie.children.some(({ type }) => type === 'mvex');
    const durationMs = Math.round(movieSeconds(movie) * 1000) || null;
    return { moovFirst, editList: hasEdits(movie), durationMs, isFragmented };
  }
  throw new UnreadableFile('The file has no movie box.');
}
