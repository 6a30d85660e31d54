import { codePointLength, FOLDER_NAME_LENGTH, hasUnsafe } from '@postshelf/domain';
import * as v from 'valibot';
import { maxCodePoints, pageQuery, uuid, uuidOrRoot } from './common.ts';

const name = v.pipe(
  v.string(),
  v.transform((text) => text.normalize('NFC').trim()),
  v.check((text) => codePointLength(text) >= FOLDER_NAME_LENGTH.min, 'is required.'),
  maxCodePoints(FOLDER_NAME_LENGTH.max),
  v.check((text) => !hasUnsafe(text), 'must not contain control characters.'),
);

const parent_id = v.optional(v.nullable(uuid));

export const newFolder = v.object({ name, parent_id });
export const folderChange = v.object({ name: v.optional(name), parent_id });
export const folderQuery = v.object({ ...pageQuery, parent_id: v.optional(uuidOrRoot) });

/** Show and create answer these fields, update and the list one more (interface, "Folder"). */
export const folder = v.object({ id: v.string(), name: v.string(), parent_id: v.nullable(v.string()) });
export const folderWithSystem = v.object({ ...folder.entries, is_system: v.boolean() });
