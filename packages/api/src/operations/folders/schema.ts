import { FOLDER_NAME_LENGTH, type Folder } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { includeOf, integer, nameOf, uuid, uuidOrRoot } from '../fields/values.ts';
import { pageQuery } from '../pagination.ts';

const name = nameOf(FOLDER_NAME_LENGTH.max, {
  description: 'Unique among its siblings, ignoring case. Surrounding white space is removed.',
  examples: ['Summer campaign'],
});

const parent_id = (description: string) => v.optional(documented(v.nullable(uuid), { description, examples: [null] }));

export const newFolder = documented(
  v.object({ name, parent_id: parent_id('The folder to create it in; null or absent: the top level.') }),
  { title: 'NewFolder' },
);

export const folderChange = documented(
  v.object({
    name: v.optional(name),
    parent_id: parent_id('The folder to move it to; null: the top level; absent: it stays.'),
  }),
  { title: 'FolderChange', description: 'Absent fields stay as they are.' },
);

export const folderQuery = v.object({
  ...pageQuery,
  parent_id: v.optional(
    documented(uuidOrRoot, {
      description: 'Only folders in the folder with this id; `root` for those at the top level.',
      'x-extension': true,
    }),
  ),
  include: v.optional(includeOf(['counts'], 'What else to include: `counts`.')),
});

const id = '019f5b0e-5d7c-7a4e-9a53-6d1c0c6a2b11';

const folderFields = {
  id: documented(v.string(), { format: 'uuid' }),
  name: v.string(),
  parent_id: v.nullable(documented(v.string(), { description: 'null at the top level.', format: 'uuid' })),
};

/** A folder as it is returned when it is shown or created. Updates and lists return {@link folderWithSystem}. */
export const folder = documented(v.object(folderFields), {
  title: 'FolderResource',
  examples: [{ id, name: 'Summer campaign', parent_id: null }],
});

const counts = documented(
  v.object({
    media: integer('Number of media items in any state, not counting covers of videos.'),
    folders: integer(),
  }),
  {
    title: 'FolderCounts',
  },
);

export const folderWithSystem = documented(
  v.object({
    ...folderFields,
    is_system: documented(v.boolean(), {
      description: "Provisioned by the operator: can hold media and folders, but can't be renamed, moved or deleted.",
    }),
    counts: v.optional(
      documented(counts, {
        description:
          'Number of media items and folders directly in the folder. Only in the list, with `include=counts`.',
        'x-extension': true,
      }),
    ),
  }),
  {
    title: 'FolderWithSystemResource',
    examples: [{ id, name: 'Summer campaign', parent_id: null, is_system: false }],
  },
);

/** Returns a folder in the form that answers show (docs/api.md, "Folders"). */
export const showFolder = ({ id, name, parentId }: Folder) => ({ id, name, parent_id: parentId });
