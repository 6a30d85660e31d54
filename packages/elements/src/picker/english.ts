import { UPLOAD_WORDS } from '@postshelf/browser/uploads/sentences.ts';

/** The picker's texts in English. */
export const WORDS = {
  ...UPLOAD_WORDS,
  library: 'Media library',
  search: 'Search media',
  type: 'Type',
  allTypes: 'All types',
  pictures: 'Images',
  films: 'Videos',
  folder: 'Folder',
  allMedia: 'All media',
  upload: 'Upload',
  importFromUrl: 'Import from URL',
  url: 'URL',
  import: 'Import',
  nothingFound: 'Nothing found',
  noMatch: 'No media match your search.',
  nothingHere: 'Nothing here yet',
  dropOrUpload: 'Drop files here, or upload them.',
  drop: 'Drop files to upload them',
  tryAgain: 'Try again',
  clearFinished: 'Clear finished',
  selected: '{count} selected',
  tooMany: 'At most {max} can be selected.',
  wrongType: 'Only {types} can be selected here.',
  clear: 'Clear',
  cancel: 'Cancel',
  select: 'Select',
};

/**
 * Texts that replace the English ones, by name; docs/elements.md lists the names. Placeholders (`{…}`) must be kept.
 */
export type PickerMessages = { readonly [Name in keyof typeof WORDS]?: string };
