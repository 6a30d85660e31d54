import {
  type AudioDetails,
  type ImageDetails,
  isConvertedType,
  type MediaDetails,
  type VideoDetails,
} from '@postshelf/domain';

export function detailsToJson({ image, video, convertedFrom }: MediaDetails): string {
  return JSON.stringify({
    ...(convertedFrom && { converted_from: convertedFrom }),
    image: image && known({ frames: image.frames, has_alpha: image.hasAlpha }),
    video:
      video &&
      known({
        codec: video.codec,
        duration_ms: video.durationMs,
        frame_rate: video.frameRate,
        bitrate: video.bitrate,
        chroma: video.chroma,
        rotation: video.rotation,
        moov_first: video.moovFirst,
        edit_list: video.editList,
        hdr: video.hdr,
        audio:
          video.audio &&
          known({ codec: video.audio.codec, sample_rate: video.audio.sampleRate, channels: video.audio.channels }),
      }),
  });
}

const known = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/**
 * Parses the `details` column. A value of a wrong type counts as unknown. Returns null for anything but an object, so
 * that the file is inspected again.
 */
export function detailsFromJson(json: string | null): MediaDetails | null {
  const details = json === null ? null : objectOf(parse(json));
  if (details === null) return null;
  const [image, video] = [objectOf(details.image), objectOf(details.video)];
  const from = textOf(details.converted_from);
  return {
    image: image && imageOf(image),
    video: video && videoOf(video),
    ...(from !== null && isConvertedType(from) && { convertedFrom: from }),
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const imageOf = ({ frames, has_alpha }: Fields): ImageDetails => ({
  frames: wholeOf(frames),
  hasAlpha: flagOf(has_alpha),
});

function videoOf(fields: Fields): VideoDetails {
  const audio = objectOf(fields.audio);
  return {
    codec: textOf(fields.codec),
    durationMs: wholeOf(fields.duration_ms),
    frameRate: numberOf(fields.frame_rate),
    bitrate: wholeOf(fields.bitrate),
    chroma: textOf(fields.chroma),
    rotation: ROTATIONS.find((degrees) => degrees === fields.rotation) ?? null,
    moovFirst: flagOf(fields.moov_first),
    editList: flagOf(fields.edit_list),
    hdr: CURVES.find((curve) => curve === fields.hdr) ?? null,
    audio: audio && audioOf(audio),
  };
}

const ROTATIONS = [0, 90, 180, 270] as const;
const CURVES = ['hlg', 'pq'] as const;

const audioOf = ({ codec, sample_rate, channels }: Fields): AudioDetails => ({
  codec: textOf(codec),
  sampleRate: wholeOf(sample_rate),
  channels: wholeOf(channels),
});

const objectOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value < Infinity ? value : null;
const wholeOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? numberOf(value) : null);
