import { FOLDER_REFUSALS, type FolderRefusal, invalid, type Refusal } from '@postshelf/domain';

/** A folder rule that would break, as the 422 that callers see. */
export function folderRefused(why: FolderRefusal): Refusal {
  const { field, sentence } = FOLDER_REFUSALS[why];
  return invalid(field, sentence);
}
