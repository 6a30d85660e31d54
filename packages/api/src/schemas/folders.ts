import { FOLDER_NAME_LENGTH } from '@postshelf/domain';
import * as v from 'valibot';
import { pageQuery, uuid, uuidOrRoot } from './common.ts';
import { nameOf } from './name.ts';

const name = nameOf(FOLDER_NAME_LENGTH.max);

const parent_id = v.optional(v.nullable(uuid));

export const newFolder = v.object({ name, parent_id });
export const folderChange = v.object({ name: v.optional(name), parent_id });
export const folderQuery = v.object({ ...pageQuery, parent_id: v.optional(uuidOrRoot) });

/** Show and create answer these fields, update and the list one more (docs/api.md, "Folders"). */
export const folder = v.object({ id: v.string(), name: v.string(), parent_id: v.nullable(v.string()) });
export const folderWithSystem = v.object({ ...folder.entries, is_system: v.boolean() });
