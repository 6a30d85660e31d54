import { readFolderName } from '@postshelf/domain';
import * as v from 'valibot';
import { pageQuery, uuid, uuidOrRoot } from './common.ts';

const name = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const read = readFolderName(dataset.value);
    if ('name' in read) return read.name;
    addIssue({ message: read.problem });
    return NEVER;
  }),
);

const parent_id = v.optional(v.nullable(uuid));

export const newFolder = v.object({ name, parent_id });
export const folderChange = v.object({ name: v.optional(name), parent_id });
export const folderQuery = v.object({ ...pageQuery, parent_id: v.optional(uuidOrRoot) });

/** Show and create answer these fields, update and the list one more (docs/api.md, "Folders"). */
export const folder = v.object({ id: v.string(), name: v.string(), parent_id: v.nullable(v.string()) });
export const folderWithSystem = v.object({ ...folder.entries, is_system: v.boolean() });
