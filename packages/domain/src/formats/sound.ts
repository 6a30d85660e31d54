import type { AudioDetails } from '../media/details.ts';
import type { ParentBox } from './box-node.ts';
import { handlerOf, tracksOf } from './tracks.ts';

/** A file that mediabunny has opened, and the properties of its sound that are read. */
interface OpenedFile extends Disposable {
  getAudioTracks(): Promise<
    readonly {
      getCodec(): Promise<string | null>;
      getSampleRate(): Promise<number>;
      getNumberOfChannels(): Promise<number>;
    }[]
  >;
}

/**
 * Reads the first sound track; null if there is none. A track that mediabunny doesn't understand is no reason to refuse
 * a video; its sound is then unknown.
 *
 * @param open opens the skeleton of a track
 */
export async function readSound(
  movie: ParentBox,
  open: (track: ParentBox) => OpenedFile,
): Promise<AudioDetails | null> {
  const sound = tracksOf(movie).find((track) => handlerOf(track) === 'soun');
  if (sound === undefined) return null;
  using file = open(sound);
  try {
    const [track] = await file.getAudioTracks();
    if (track === undefined) return UNKNOWN_SOUND;
    return {
      codec: await track.getCodec(),
      sampleRate: wholeOrNull(await track.getSampleRate()),
      channels: wholeOrNull(await track.getNumberOfChannels()),
    };
  } catch {
    return UNKNOWN_SOUND;
  }
}

const UNKNOWN_SOUND: AudioDetails = { codec: null, sampleRate: null, channels: null };

/** Rounds a number; null for values that no real file has. */
export function wholeOrNull(number: number): number | null {
  const whole = Math.round(number);
  return whole > 0 && Number.isSafeInteger(whole) ? whole : null;
}
