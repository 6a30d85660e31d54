import {
  type CoverChoice,
  hasUnsafeInProse,
  MAX_ALT_TEXT_LENGTH,
  MAX_LABEL_LENGTH,
  MAX_RENAME_LENGTH,
  MAX_TAGS,
  type MediaSort,
  NAME_LENGTH,
  problemOfNewName,
  readSha256,
  readTag,
  TAG_LENGTH,
  tagKey,
} from '@postshelf/domain';
import * as v from 'valibot';
import { dataAndMessageOf } from '../envelopes.ts';
import { documented } from '../fields/documented.ts';
import { notReversed, RANGE_END, rangeEnd } from '../fields/range.ts';
import {
  fraction,
  integer,
  listOf,
  maxCodePoints,
  nameOf,
  noneTwice,
  objectOf,
  uuid,
  uuidOf,
  uuidOrRoot,
} from '../fields/values.ts';
import { pageQuery } from '../pagination.ts';
import { include, includedFields } from './include.ts';

const inProse = v.check<string, string>((text) => !hasUnsafeInProse(text), 'must not contain control characters.');

const prose = (max: number, facts: { readonly description: string; readonly examples: readonly string[] }) =>
  v.nullable(
    v.pipe(
      documented(v.string(), { ...facts, maxLength: max }),
      maxCodePoints(max),
      inProse,
      v.transform((text) => (text === '' ? null : text.normalize('NFC'))),
    ),
  );

export const label = prose(MAX_LABEL_LENGTH, {
  description: 'Shown in the library; empty means none.',
  examples: ['Summer'],
});

const alt_text = prose(MAX_ALT_TEXT_LENGTH, {
  description: 'Describes the image or video for people who can’t see it; empty means none.',
  examples: ['A red boat on the beach'],
});

const tagName = (description: string) => nameOf(TAG_LENGTH.max, { description, examples: ['summer'] });

/** Returns the key of a tag; null if the text can't be a tag. */
function tagKeyOf(text: string): string | null {
  const read = readTag(text);
  return 'name' in read ? tagKey(read.name) : null;
}

export const tags = v.pipe(
  documented(listOf(tagName('Surrounding white space is removed.'), MAX_TAGS), {
    description: 'All tags that the item has after the change, each only once, ignoring case.',
  }),
  noneTwice(MAX_TAGS, tagKeyOf),
);

/** The name of a new item. */
export const mediaName = v.pipe(
  documented(v.string(), {
    description: `${NAME_LENGTH.min} to ${NAME_LENGTH.max} characters, including an extension if there is one. The extension can be left out, because it is taken from the file.`,
    minLength: NAME_LENGTH.min,
    maxLength: NAME_LENGTH.max,
    examples: ['Opening night'],
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const problem = dataset.typed ? problemOfNewName(dataset.value) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
);

/**
 * The new name of an item. It is validated later, when the item is known, because the item's own extension doesn't
 * count towards the length of the name.
 */
const newName = documented(v.string(), {
  description: `1 to ${NAME_LENGTH.max} characters, not counting the item's own extension, which can be left out.`,
  minLength: 1,
  maxLength: MAX_RENAME_LENGTH,
  examples: ['Opening night'],
});

export const folder_id = documented(v.nullable(uuid), {
  description: 'A folder of the workspace; null: the root of the library.',
  examples: [null],
});

const LONGEST = 7 * 24 * 3600;

const cover = documented(
  v.pipe(
    objectOf({
      at: v.optional(
        v.pipe(
          documented(v.number(), {
            description: 'The second of the video whose frame is taken.',
            minimum: 0,
            examples: [2.5],
          }),
          v.minValue(0, 'must be at least 0.'),
          v.maxValue(LONGEST, `must not be greater than ${LONGEST}.`),
        ),
      ),
      media_content_id: v.optional(uuidOf('An active image of the workspace, which is copied.')),
    }),
    v.check(
      ({ at, media_content_id }) => (at === undefined) !== (media_content_id === undefined),
      'must have either at or media_content_id.',
    ),
  ),
  { title: 'CoverChoice', description: 'For an active video: what its cover shows. The former cover is deleted.' },
);

export function readCover(input: v.InferOutput<typeof cover>): CoverChoice {
  const { at, media_content_id: mediaContentId } = input;
  return mediaContentId === undefined ? { at: at ?? 0 } : { mediaContentId };
}

/** Reads the choice of a cover from a value that hasn't been checked; undefined if the value isn't valid. */
export function choiceIn(raw: unknown): CoverChoice | undefined {
  const read = v.safeParse(cover, raw);
  return read.success ? readCover(read.output) : undefined;
}

const focus = documented(
  v.nullable(
    documented(objectOf({ x: fraction('From the left edge.'), y: fraction('From the upper edge.') }), {
      title: 'NewFocalPoint',
    }),
  ),
  {
    description:
      'The most important point of the image or video, in fractions of its width and height as displayed; null: its centre. `fit` crops around it.',
    examples: [{ x: 0.5, y: 0.25 }],
  },
);

const changeFields = v.object({
  name: v.optional(newName),
  label: v.optional(label),
  folder_id: v.optional(folder_id),
  alt_text: v.optional(alt_text),
  focus: v.optional(focus),
  tags: v.optional(tags),
  cover: v.optional(cover),
});

export const mediaChange = documented(changeFields, {
  title: 'MediaChange',
  description: 'Absent fields stay as they are.',
});

const STATUS_MEANINGS =
  '`active`: in the library and usable. `processing`: an import or a fit in progress; poll the item. `failed`: `error_message` says why. `temporary`: a presigned upload that is not confirmed yet, or a resumable upload that is not complete.';

const status = v.picklist(['active', 'processing', 'failed', 'temporary']);

const sha256 = v.pipe(
  documented(v.string(), {
    description: 'Only items whose stored file has this SHA-256, in hex.',
    minLength: 64,
    maxLength: 64,
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  v.check((text) => readSha256(text) !== null, 'must be 64 hexadecimal digits.'),
  v.transform((text) => text.toLowerCase()),
);

const sort = documented(
  v.picklist(['updated_at', '-updated_at', 'created_at', '-created_at', 'name', '-name', 'size', '-size']),
  {
    description:
      'The order; a leading `-` reverses it. `name` ignores case and accents; items with the same name are ordered by label. With `size`, items without a size come first.',
    default: '-updated_at',
  },
);

export function readSort(text: v.InferOutput<typeof sort>): MediaSort {
  const isDescending = text.startsWith('-');
  return { by: text.slice(isDescending ? 1 : 0) as MediaSort['by'], descending: isDescending };
}

const wantedTag = tagName('Only items with this tag, ignoring case.');
const wantedTagList = listOf(wantedTag, MAX_TAGS);
const anyOfWantedTags = documented(v.union([wantedTag, wantedTagList]), {
  description: 'Only items with this tag or, if several are given, with all of them, ignoring case.',
  examples: ['summer'],
});

/**
 * Tags to find. The schema depends on the form of the value, so that errors refer to the single tag or to each tag in
 * the list.
 */
const wantedTags = v.pipe(
  v.lazy((input) => {
    if (input === undefined) return anyOfWantedTags;
    return (Array.isArray(input) ? wantedTagList : wantedTag) as unknown as typeof anyOfWantedTags;
  }),
  v.transform((given) => [given].flat()),
);

export const search = v.optional(
  v.pipe(
    documented(v.string(), {
      description:
        'Only items that have each of these words in the name, the label, a tag or the alt text, ignoring case, character width, the accents and strokes of Latin, Greek and Cyrillic letters, characters that show nothing, and whether quotes and dashes are typographic.',
      maxLength: MAX_LABEL_LENGTH,
      examples: ['terrace harbour'],
    }),
    maxCodePoints(MAX_LABEL_LENGTH),
    inProse,
  ),
);

export const mediaQuery = v.pipe(
  v.object({
    ...pageQuery,
    folder_id: v.optional(
      documented(uuidOrRoot, { description: 'Only items in the folder with this id; `root` for those in no folder.' }),
    ),
    status: v.optional(documented(status, { description: 'Only items with this status.' })),
    type: v.optional(documented(v.picklist(['image', 'video']), { description: 'Only images, or only videos.' })),
    search,
    from: v.optional(documented(rangeEnd, { description: `Only items created at this time or later. ${RANGE_END}` })),
    to: v.optional(documented(rangeEnd, { description: `Only items created at this time or earlier. ${RANGE_END}` })),
    tag: v.optional(wantedTags),
    sha256: v.optional(sha256),
    sort: v.optional(sort),
    include: v.optional(include),
  }),
  notReversed(),
);

const id = '019f5b0e-64b1-7d3c-8b0e-2f6a4d9c1e57';
const fullName = `019e0c52-0b7a-7c11-9d3e-5a8f1b2c3d4e/${id}/beach.jpg`;

const mediaFields = {
  id: documented(v.string(), { format: 'uuid' }),
  name: documented(v.string(), { description: 'File name, with the extension that matches the bytes.' }),
  full_name: documented(v.string(), {
    description: '`{workspace}/{id}/{name}` as it was at upload; unchanged by a rename.',
  }),
  label: documented(v.nullable(v.string()), { description: 'Shown in the library.' }),
  link: documented(v.string(), {
    description:
      'The address of the file. It needs no token, but a signature if the workspace’s links are signed. It answers 404 until the item is `active`, and doesn’t change after that.',
    format: 'uri',
  }),
  status: documented(status, { description: STATUS_MEANINGS }),
  error_message: documented(v.nullable(v.string()), {
    description: 'Why the import or the upload failed; null unless `failed`.',
  }),
  size: documented(v.nullable(integer()), { description: 'Size in bytes; null unless `active`.' }),
  width: documented(v.nullable(integer()), { description: 'Width in pixels, as displayed; null unless `active`.' }),
  height: documented(v.nullable(integer()), { description: 'Height in pixels, as displayed; null unless `active`.' }),
  time: documented(v.nullable(integer()), {
    description: 'Duration of a video in whole seconds, at least 1; null for images.',
  }),
  folder_id: documented(v.nullable(documented(v.string(), { format: 'uuid' })), {
    description: 'null at the root of the library.',
  }),
};

export const oneMediaQuery = v.object({ include: v.optional(include) });

const TITLE = 'MediaContentResource';

/** A media item. All fields are always present; the `thumbnail` of a cover is null (docs/api.md, "Media items"). */
export const mediaContent = documented(
  v.object({
    ...mediaFields,
    thumbnail: documented(v.nullable(documented(v.object({ ...mediaFields, thumbnail: v.null() }), { title: TITLE })), {
      description:
        "A video's cover, which is itself a media item, but has no cover. It is null for images, and for videos whose cover could not be made or is not made yet.",
    }),
    ...includedFields,
  }),
  {
    title: TITLE,
    description: 'A media item. All fields are always present, except those that `include` asks for.',
    examples: [
      {
        id,
        name: 'beach.jpg',
        full_name: fullName,
        label: 'Summer',
        link: `http://127.0.0.1:3000/files/${fullName}`,
        status: 'active',
        error_message: null,
        size: 482113,
        width: 1600,
        height: 1200,
        time: null,
        thumbnail: null,
        folder_id: null,
      },
    ],
  },
);

export type MediaContentResource = v.InferOutput<typeof mediaContent>;

export const trashedMedia = documented(
  v.object({
    ...mediaFields,
    // The document uses one schema for items and covers. Only the TypeScript types distinguish them.
    thumbnail: v.nullable(mediaContent) as unknown as typeof mediaContent.entries.thumbnail,
    deleted_at: documented(v.string(), { format: 'date-time', examples: ['2026-11-21T18:30:00.000Z'] }),
  }),
  {
    title: 'TrashedMediaResource',
    description: 'A deleted item that can be restored. Its link doesn’t work until it is restored.',
  },
);

export const storedMedia = dataAndMessageOf(v.array(mediaContent), 'StoredMedia');
