import { formatBytes } from '../ui/format-bytes.ts';
import { formatNumber } from '../ui/format-number.ts';
import type { Totals, Upload } from './upload.ts';

/** Texts of {@link titleOf}, {@link stateOf} and `UploadRow`, which may be replaced for other languages. */
export const UPLOAD_WORDS = {
  uploads: 'Uploads',
  uploading: 'Uploading {number} of {files}',
  uploaded: '{count} uploaded',
  notUploaded: '{count} failed',
  importing: 'Importing',
  checking: 'Checking',
  waiting: 'Waiting',
  sent: '{sent} of {size}',
  finishing: 'Finishing',
  offline: 'Waiting for the network',
  busy: 'Waiting for the service',
  paused: 'Paused',
  done: 'Uploaded',
  failed: 'Failed',
  cancelled: 'Cancelled',
  cancelUpload: 'Cancel',
  cancelUploadOf: 'Cancel upload of {name}',
  pause: 'Pause',
  resume: 'Resume',
  retry: 'Retry',
  shortened: 'Its name was too long and has been shortened: {name}',
};

export type UploadWords = Readonly<typeof UPLOAD_WORDS>;

/** Summarizes the state of all uploads. */
export function titleOf(
  { files, unfinished, done, failed }: Totals,
  isImporting: boolean,
  words: UploadWords = UPLOAD_WORDS,
): string {
  if (unfinished > 0) {
    const number = formatNumber(Math.min(files - unfinished + 1, files));
    return words.uploading.replace('{number}', number).replace('{files}', formatNumber(files));
  }
  const parts = [
    done > 0 && words.uploaded.replace('{count}', formatNumber(done)),
    failed > 0 && words.notUploaded.replace('{count}', formatNumber(failed)),
  ].filter(Boolean);
  if (parts.length > 0) return parts.join(', ');
  return isImporting ? words.importing : words.uploads;
}

/** Returns the text next to the file's name. */
export function stateOf(
  { phase, loaded, size }: Pick<Upload, 'phase' | 'loaded' | 'size'>,
  words: UploadWords = UPLOAD_WORDS,
): string {
  if (phase !== 'sending') return words[phase];
  if (loaded >= size) return words.finishing;
  return words.sent.replace('{sent}', formatBytes(loaded)).replace('{size}', formatBytes(size));
}
