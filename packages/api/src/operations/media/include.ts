import type { IncludedData, SigningLinks } from '@postshelf/application';
import {
  type Actor,
  CONVERTED_TYPES,
  type MediaDetails,
  type MediaWithCover,
  type PreviewFacts,
  previewPath,
  previewSizes,
  previewSubject,
  type VideoDetails,
} from '@postshelf/domain';
import * as v from 'valibot';
import type { Service } from '../../service.ts';
import { documented } from '../fields/documented.ts';
import { includeOf, integer, showTime } from '../fields/values.ts';

/** Optional parts of an answer about an item (docs/api.md, "More about an item"). */
export const include = includeOf(
  ['details', 'usage'],
  'What else to include: `details`, `usage`, or both, separated by a comma.',
);

export const readInclude = (asked: v.InferOutput<typeof include> | undefined) => ({
  details: asked?.includes('details') ?? false,
  usage: asked?.includes('usage') ?? false,
});

const text = (description?: string) => v.nullable(described(v.string(), description));
const flag = (description?: string) => v.nullable(described(v.boolean(), description));
const whole = (description?: string) => v.nullable(integer(description));
const described = <const TSchema extends v.GenericSchema>(schema: TSchema, description?: string) =>
  documented(schema, description === undefined ? {} : { description });

const image = documented(v.object({ frames: whole('Number of frames: 1 unless it is animated.'), has_alpha: flag() }), {
  title: 'ImageDetails',
});

const audio = documented(v.object({ codec: text(), sample_rate: whole('Hertz.'), channels: whole() }), {
  title: 'AudioDetails',
});

const video = documented(
  v.object({
    codec: text('`avc`, `hevc`, `vp9`, `av1`, …'),
    duration_ms: whole(),
    frame_rate: v.nullable(documented(v.number(), { description: 'Frames per second, on average.' })),
    bitrate: whole('Bits per second of all tracks together.'),
    chroma: text('Chroma subsampling, such as `4:2:0`.'),
    rotation: whole('Degrees clockwise by which a player rotates the video.'),
    moov_first: flag('Whether a player can start before it has the whole file.'),
    edit_list: flag('Whether an edit list skips or shifts part of a track.'),
    hdr: documented(v.nullable(v.picklist(['hlg', 'pq'])), {
      description:
        'The transfer function if the video is HDR; otherwise null. The cover and fitted versions are converted to SDR ' +
        "colours if the server's ffmpeg has the filters `zscale` and `tonemap`; otherwise, they look pale.",
    }),
    audio: documented(v.nullable(audio), { description: 'The first audio track; null if there is none.' }),
  }),
  { title: 'VideoDetails' },
);

export const preview = documented(
  v.object({ width: integer(), height: integer(), link: documented(v.string(), { format: 'uri' }) }),
  { title: 'MediaPreview' },
);

const instant = documented(v.string(), { description: 'In UTC.', format: 'date-time' });

const details = documented(
  v.object({
    sha256: text(
      'SHA-256 of the stored bytes, in lower-case hex; null until the item is `active` and its bytes are hashed.',
    ),
    mime: text('Media type of the file; null unless `active`.'),
    created_at: instant,
    updated_at: instant,
    alt_text: text('Describes the image or video for people who can’t see it.'),
    focus: documented(v.nullable(documented(v.object({ x: v.number(), y: v.number() }), { title: 'FocalPoint' })), {
      description:
        'The most important point of the image or video, in fractions of its width and height; null: its centre.',
    }),
    tags: v.array(v.string()),
    placeholder: text('A data URL of at most 2 KB, to be shown until the image has loaded; null if there is none yet.'),
    previews: documented(v.array(preview), {
      description:
        'Smaller versions of the image as WebP, narrowest first; for a video, versions of its cover. Empty if there are none.',
    }),
    created_by: documented(v.nullable(v.object({ kind: v.picklist(['token', 'person']), name: v.string() })), {
      description: 'The token or person that uploaded the item; null if unknown or deleted.',
    }),
    source: documented(v.nullable(documented(v.string(), { format: 'uuid' })), {
      description:
        'The id of the original, if this item was made to fit a network. The original may have been deleted since.',
    }),
    converted_from: documented(v.nullable(v.picklist(CONVERTED_TYPES)), {
      description: 'The media type that was sent, if the file was converted.',
    }),
    image: documented(v.nullable(image), { description: 'null for videos, and until the file has been inspected.' }),
    video: documented(v.nullable(video), { description: 'null for images, and until the file has been inspected.' }),
  }),
  { title: 'MediaDetails', description: 'Null means unknown.' },
);

const usage = documented(v.object({ posts: integer('Number of posts that use the item.') }), { title: 'MediaUsage' });

export const includedFields = {
  details: v.optional(documented(details, { description: 'Only if `include` asks for it.', 'x-extension': true })),
  usage: v.optional(documented(usage, { description: 'Only if `include` asks for it.', 'x-extension': true })),
};

export function showIncluded(service: Pick<Service, 'publicUrl'>, media: MediaWithCover, more: IncludedData) {
  const { tags, posts } = more;
  const { item } = media;
  return {
    ...(tags && { details: showDetails(service, media, more) }),
    ...(posts && { usage: { posts: posts.get(item.id) ?? 0 } }),
  };
}

function showDetails(
  service: Pick<Service, 'publicUrl'>,
  media: MediaWithCover,
  { tags, previews, names }: IncludedData,
): v.InferOutput<typeof details> {
  const { item } = media;
  const content = item.status === 'active' ? item.content : null;
  return {
    sha256: content?.sha256 ?? null,
    mime: content?.type ?? null,
    created_at: showTime(item.createdAt),
    updated_at: showTime(item.updatedAt),
    alt_text: item.altText,
    focus: item.focus && { x: item.focus.x, y: item.focus.y },
    tags: [...(tags?.get(item.id) ?? [])],
    ...showPreviews(service, media, previews),
    created_by: showActor(item.createdBy, names),
    source: item.fittedFrom,
    ...showFacts(content?.details ?? { image: null, video: null }),
  };
}

const showActor = (actor: Actor | null, names: IncludedData['names']) => {
  const name = actor && names?.get(actor.id);
  return actor && name !== undefined && name !== null ? { kind: actor.kind, name } : null;
};

/**
 * Returns the previews of an item.
 *
 * @param sign returns the link of each preview; by default the link without a signature
 */
export function showPreviews(
  { publicUrl }: Pick<Service, 'publicUrl'>,
  media: MediaWithCover,
  facts: ReadonlyMap<string, PreviewFacts> | null,
  sign: SigningLinks['sign'] = (link) => link,
) {
  const subject = previewSubject(media);
  const known = subject && facts?.get(subject.id);
  if (subject === null || known?.hasFailed) return { placeholder: null, previews: [] };
  const { workspaceId, id, content } = subject;
  const previews = previewSizes(content).map(({ width, height }) => {
    const path = `previews/${previewPath({ workspaceId, id, width })}` as const;
    return { width, height, link: sign(`${publicUrl}/${path}`, path) };
  });
  return { placeholder: known?.placeholder ?? null, previews };
}

const showFacts = (facts: MediaDetails) => ({
  converted_from: facts.convertedFrom ?? null,
  image: facts.image && { frames: facts.image.frames, has_alpha: facts.image.hasAlpha },
  video: facts.video && showVideo(facts.video),
});

const showVideo = ({
  codec,
  durationMs,
  frameRate,
  bitrate,
  chroma,
  rotation,
  moovFirst,
  editList,
  hdr,
  audio,
}: VideoDetails) => ({
  codec,
  duration_ms: durationMs,
  frame_rate: frameRate,
  bitrate,
  chroma,
  rotation,
  moov_first: moovFirst,
  edit_list: editList,
  hdr,
  audio: audio && { codec: audio.codec, sample_rate: audio.sampleRate, channels: audio.channels },
});
