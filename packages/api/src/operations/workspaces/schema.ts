import type { OperatedWorkspace } from '@postshelf/application';
import {
  FOLDER_NAME_LENGTH,
  folderNameKey,
  isQuota,
  LINK_ACCESS,
  readTimeZone,
  type WorkspaceUsage,
} from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { given, listOf, nameOf, noneTwice, showTime } from '../fields/values.ts';

const count = documented(v.number(), { type: 'integer', minimum: 0 });
const mostOf = <const Schema extends v.GenericSchema<number>>(number: Schema, of: string) =>
  documented(v.nullable(number), {
    description: `Maximum number of ${of} that the workspace may hold; null: unlimited.`,
  });

export const usage = documented(
  v.object({
    bytes: documented(count, { description: 'Bytes of `active` media, without covers and previews.' }),
    items: count,
    images: count,
    videos: count,
    trash_bytes: documented(count, { description: 'Bytes in the trash, which also count against the quota.' }),
    trash_items: count,
    max_bytes: mostOf(count, 'bytes'),
    max_items: mostOf(count, 'items'),
  }),
  {
    title: 'UsageResource',
    examples: [
      {
        bytes: 1_200_000_000,
        items: 340,
        images: 310,
        videos: 30,
        trash_bytes: 52_000_000,
        trash_items: 12,
        max_bytes: 5_000_000_000,
        max_items: null,
      },
    ],
  },
);

const MAX_SYSTEM_FOLDERS = 100;

const name = nameOf(FOLDER_NAME_LENGTH.max, { examples: ['Harbour hotel'] });

const timezone = v.pipe(
  documented(v.string(), {
    description: 'The IANA name of the time zone, ignoring case.',
    examples: ['Europe/Berlin'],
  }),
  v.check((name) => readTimeZone(name) !== null, 'must be the name of a time zone.'),
);

const systemFolders = documented(
  v.pipe(
    listOf(nameOf(FOLDER_NAME_LENGTH.max, { examples: ['Logos'] }), MAX_SYSTEM_FOLDERS),
    noneTwice<string>(MAX_SYSTEM_FOLDERS, folderNameKey),
  ),
  {
    description:
      'Folders at the top level that nobody can rename, move or delete. Those no longer listed become ordinary folders.',
  },
);

const quota = documented(v.pipe(v.number(), v.check(isQuota, 'must be a whole number of at least 0.')), {
  type: 'integer',
  minimum: 0,
});

/** The settings of a workspace that operators can change, except its name, time zone and system folders. */
const settings = {
  strip_location: v.optional(
    documented(v.nullable(v.boolean()), {
      description: 'Whether coordinates are removed from new files; null: the service’s default.',
    }),
  ),
  max_bytes: v.optional(mostOf(quota, 'bytes')),
  max_items: v.optional(mostOf(quota, 'items')),
  links: v.optional(
    documented(v.picklist(LINK_ACCESS), {
      description: 'Who can fetch the files: anyone with a link, or only those with a signed link, which expires.',
    }),
  ),
};

/** Returns the settings, without those that are absent. */
export const settingsOf = ({
  strip_location: stripLocation,
  max_bytes: maxBytes,
  max_items: maxItems,
  links,
}: v.InferOutput<v.ObjectSchema<typeof settings, undefined>>) => given({ stripLocation, maxBytes, maxItems, links });

const fields = { name, timezone: v.optional(timezone), system_folders: v.optional(systemFolders), ...settings };

export const newWorkspace = documented(v.object(fields), { title: 'NewWorkspace' });

export const workspaceChange = documented(v.object({ ...fields, name: v.optional(name) }), {
  title: 'WorkspaceChange',
  description: 'Absent fields stay as they are.',
});

export const workspace = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    name: v.string(),
    timezone: v.string(),
    system_folders: v.array(v.string()),
    strip_location: v.nullable(v.boolean()),
    max_bytes: mostOf(count, 'bytes'),
    max_items: mostOf(count, 'items'),
    links: v.picklist(LINK_ACCESS),
    created_at: documented(v.string(), { format: 'date-time' }),
  }),
  {
    title: 'WorkspaceResource',
    description: 'A tenant, with media and posts of its own.',
    examples: [
      {
        id: '019f5b0e-1a30-7c52-8f4e-3b6d9c0a7e15',
        name: 'Harbour hotel',
        timezone: 'Europe/Berlin',
        system_folders: ['Logos'],
        strip_location: null,
        max_bytes: 5_000_000_000,
        max_items: null,
        links: 'public',
        created_at: '2026-11-21T18:30:00.000Z',
      },
    ],
  },
);

export const showWorkspace = ({
  workspace: item,
  systemFolders: names,
}: OperatedWorkspace): v.InferInput<typeof workspace> => ({
  id: item.id,
  name: item.name,
  timezone: item.timezone,
  system_folders: [...names],
  strip_location: item.stripLocation,
  max_bytes: item.maxBytes,
  max_items: item.maxItems,
  links: item.links,
  created_at: showTime(item.createdAt),
});

export const showUsage = ({
  maxBytes,
  maxItems,
  bytes,
  items,
  images,
  videos,
  trashBytes,
  trashItems,
}: WorkspaceUsage): v.InferOutput<typeof usage> => ({
  bytes,
  items,
  images,
  videos,
  trash_bytes: trashBytes,
  trash_items: trashItems,
  max_bytes: maxBytes,
  max_items: maxItems,
});
