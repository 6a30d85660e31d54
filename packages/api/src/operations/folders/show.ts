import type { Folder } from '@postshelf/domain';

/** Returns a folder in the form that answers show (docs/api.md, "Folders"). */
export const showFolder = ({ id, name, parentId }: Folder) => ({ id, name, parent_id: parentId });
