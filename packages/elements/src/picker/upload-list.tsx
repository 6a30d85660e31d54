import { titleOf } from '@postshelf/browser/uploads/sentences.ts';
import { inOrder, isFinished, totalsOf } from '@postshelf/browser/uploads/upload.ts';
import { UploadRow } from '@postshelf/browser/uploads/upload-row.tsx';
import { useSyncExternalStore } from 'react';
import type { PickerUploads } from './picker-uploads.ts';

/** Most rows in the document. */
const MAX_ROWS = 100;

/** Uploads in progress, and failed ones: `region` "Uploads". Finished ones are in the grid. */
export function UploadList({ uploads }: { readonly uploads: PickerUploads }) {
  const all = useSyncExternalStore(uploads.subscribe, uploads.list);
  if (all.length === 0) return null;
  const totals = totalsOf(all);
  const title = titleOf(totals, false);
  const shown = inOrder(
    all.filter(({ phase }) => phase !== 'done'),
    MAX_ROWS,
  );
  return (
    <section className="picker-uploads" aria-label="Uploads">
      <header>
        <h2>{title}</h2>
        {all.some(isFinished) && (
          <button type="button" className="button button-quiet" onClick={uploads.clearFinished}>
            Clear finished
          </button>
        )}
      </header>
      {/* Screen readers announce the end of all uploads, not their progress. */}
      <p className="visually-hidden" role="status">
        {totals.unfinished === 0 ? title : ''}
      </p>
      {shown.length > 0 && (
        <ul>
          {shown.map((upload) => (
            <UploadRow key={upload.id} {...upload} onCancel={uploads.cancel} onRetry={uploads.retry} />
          ))}
        </ul>
      )}
    </section>
  );
}
