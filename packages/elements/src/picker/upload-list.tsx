import { ChangingText } from '@postshelf/browser/ui/changing-text.tsx';
import { titleOf } from '@postshelf/browser/uploads/sentences.ts';
import { inOrder, isFinished, totalsOf } from '@postshelf/browser/uploads/upload.ts';
import { UploadRow } from '@postshelf/browser/uploads/upload-row.tsx';
import { UploadStatus } from '@postshelf/browser/uploads/upload-status.tsx';
import { useEffect, useRef } from 'react';
import type { PickerUploads } from './picker-uploads.ts';
import { useWords } from './words.ts';

/** Maximum number of rows in the document. */
const MAX_ROWS = 100;

export interface UploadListProps {
  readonly uploads: PickerUploads;
  /** Called with an error message; must be stable. */
  onFailed(message: string): void;
}

/** Shows uploads in progress and failed uploads in the `region` "Uploads". The grid shows finished uploads. */
export function UploadList({ uploads, onFailed }: UploadListProps) {
  const words = useWords();
  const all = uploads.list.use();
  const reported = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const failed = all.filter(({ phase }) => phase === 'failed');
    for (const { id, name, problem } of failed) if (!reported.current.has(id)) onFailed(`${name}: ${problem}`);
    reported.current = new Set(failed.map(({ id }) => id));
  }, [all, onFailed]);
  if (all.length === 0) return null;
  const totals = totalsOf(all);
  const title = titleOf(totals, false, words);
  const shown = inOrder(
    all.filter(({ phase }) => phase !== 'done'),
    MAX_ROWS,
  );
  return (
    <section className="picker-uploads" aria-label={words.uploads}>
      <header>
        <h2>
          <ChangingText>{title}</ChangingText>
        </h2>
        {all.some(isFinished) && (
          <button type="button" className="button button-quiet" onClick={uploads.clearFinished}>
            {words.clearFinished}
          </button>
        )}
      </header>
      <UploadStatus
        title={title}
        isRunning={totals.unfinished > 0}
        failures={all.filter(({ phase }) => phase === 'failed')}
        words={words}
      />
      {shown.length > 0 && (
        <ul>
          {shown.map((upload) => (
            <UploadRow
              key={upload.id}
              {...upload}
              words={words}
              onCancel={uploads.cancel}
              onPause={uploads.pause}
              onRetry={uploads.retry}
            />
          ))}
        </ul>
      )}
    </section>
  );
}
