import { formatBytes } from '../ui/format-bytes.ts';
import { formatNumber } from '../ui/format-number.ts';
import type { Totals, Upload } from './upload.ts';

/** Sums up the state of all uploads. */
export function titleOf({ files, unfinished, done, failed }: Totals, isImporting: boolean): string {
  if (unfinished > 0)
    return `Uploading ${formatNumber(Math.min(files - unfinished + 1, files))} of ${formatNumber(files)}`;
  const parts = [done > 0 && `${formatNumber(done)} uploaded`, failed > 0 && `${formatNumber(failed)} failed`].filter(
    Boolean,
  );
  if (parts.length > 0) return parts.join(', ');
  return isImporting ? 'Importing' : 'Uploads';
}

/** Beside the file's name. */
export function stateOf({ phase, loaded, size }: Pick<Upload, 'phase' | 'loaded' | 'size'>): string {
  switch (phase) {
    case 'checking':
      return 'Checking';
    case 'waiting':
      return 'Waiting';
    case 'sending':
      return loaded < size ? `${formatBytes(loaded)} of ${formatBytes(size)}` : 'Finishing';
    case 'offline':
      return 'Waiting for the network';
    case 'busy':
      return 'Waiting for the service';
    case 'done':
      return 'Uploaded';
    case 'failed':
      return 'Failed';
    case 'cancelled':
      return 'Cancelled';
  }
}
