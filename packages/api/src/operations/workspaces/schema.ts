import type { OperatedWorkspace } from '@postshelf/application';
import { FOLDER_NAME_LENGTH, folderNameKey, isTimeZone } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { listOf, nameOf, noneTwice } from '../fields/values.ts';

const MAX_SYSTEM_FOLDERS = 100;

const name = nameOf(FOLDER_NAME_LENGTH.max, { examples: ['Harbour hotel'] });

const timezone = v.pipe(
  documented(v.string(), { description: 'An IANA name.', examples: ['Europe/Berlin'] }),
  v.check(isTimeZone, 'must be the name of a time zone.'),
);

const systemFolders = documented(
  v.pipe(
    listOf(nameOf(FOLDER_NAME_LENGTH.max, { examples: ['Logos'] }), MAX_SYSTEM_FOLDERS),
    noneTwice<string>(MAX_SYSTEM_FOLDERS, (value) => (typeof value === 'string' ? folderNameKey(value) : null)),
  ),
  {
    description:
      'Folders at the top level that nobody can rename, move or delete. Whichever isn’t named any more becomes a folder like others.',
  },
);

/** What operators set, beside name, time zone and folders. */
const settings = {
  strip_location: v.optional(
    documented(v.nullable(v.boolean()), {
      description: 'Whether coordinates are removed from new files; null: as the service does by default.',
    }),
  ),
};

export const newWorkspace = documented(
  v.object({ name, timezone: v.optional(timezone), system_folders: v.optional(systemFolders), ...settings }),
  { title: 'NewWorkspace' },
);

export const workspaceChange = documented(
  v.object({
    name: v.optional(name),
    timezone: v.optional(timezone),
    system_folders: v.optional(systemFolders),
    ...settings,
  }),
  { title: 'WorkspaceChange', description: 'What is absent stays.' },
);

export const workspace = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    name: v.string(),
    timezone: v.string(),
    system_folders: v.array(v.string()),
    strip_location: v.nullable(v.boolean()),
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
  created_at: new Date(item.createdAt).toISOString(),
});
