import type { AudioDetails } from '../media/details.ts';
import type { ParentBox } from './box-node.ts';
import { descriptionsOf, entriesOf } from './descriptions.ts';
import { handlerOf, isEnabled, tracksOf } from './tracks.ts';

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
 * Types of descriptions of sound that browsers play or ffmpeg decodes. Others, such as `apac` (Apple's spatial audio) and
 * `ac-4`, aren't among them.
 */
const PLAYABLE: ReadonlySet<string> = new Set([
  ...['mp4a', '.mp3', 'mp3 ', 'ac-3', 'ec-3', 'alac', 'fLaC', 'Opus', 'samr', 'sawb'],
  ...['sowt', 'twos', 'raw ', 'NONE', 'in24', 'in32', 'fl32', 'fl64', 'lpcm', 'ipcm', 'fpcm', 'ulaw', 'alaw', 'ima4'],
]);

/**
 * Returns the sound track that players use: the first enabled one that they can play. If there is none, it is the first
 * playable one, and otherwise the first. iPhones write two tracks, of which one has a codec that only Apple's devices
 * play. Everything that plays or describes a video's sound must use this function.
 *
 * @returns null if there is no sound track
 */
export function playedSoundOf(movie: ParentBox): ParentBox | null {
  const tracks = tracksOf(movie).filter((track) => handlerOf(track) === 'soun');
  const playable = tracks.filter(isPlayable);
  return [...playable.filter(isEnabled), ...playable, ...tracks][0] ?? null;
}

function isPlayable(track: ParentBox): boolean {
  const list = descriptionsOf(track);
  if (list === null) return false;
  const [first] = entriesOf(list);
  return first !== undefined && PLAYABLE.has(first.type);
}

/**
 * Reads the sound track that players use; null if there is none. A track that mediabunny doesn't understand is no reason
 * to refuse a video; its sound is then unknown.
 *
 * @param open opens the skeleton of a track
 */
export async function readSound(
  movie: ParentBox,
  open: (track: ParentBox) => OpenedFile,
): Promise<AudioDetails | null> {
  const sound = playedSoundOf(movie);
  if (sound === null) return null;
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
