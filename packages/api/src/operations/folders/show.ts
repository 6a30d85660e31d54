import type { Folder } from '@postshelf/domain';

/** Returns a folder as answers show it (docs/api.md, "Folders"). */
export const showFolder = ({ id, name, parentId }: Folder) => ({ id, name, parent_id: parentId });
