import '@postshelf/browser/uploads/upload-row.css';
import './uploads-tray.css';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { titleOf } from '@postshelf/browser/uploads/sentences.ts';
import { inOrder, isFinished, totalsOf } from '@postshelf/browser/uploads/upload.ts';
import { UploadRow } from '@postshelf/browser/uploads/upload-row.tsx';
import { useParams, useSearch } from '@tanstack/react-router';
import { useId, useState, useSyncExternalStore } from 'react';
import {
  forgetEndedImports,
  type Import,
  listImports,
  retryImport,
  subscribe as subscribeToImports,
} from '../imports/imports.ts';
import { Button } from '../ui/button.tsx';
import { DropArea } from './drop-area.tsx';
import { cancelUpload, clearFinished, listUploads, pauseUpload, retryUpload, subscribe } from './uploads.ts';

/** Most rows in the document; of a longer list the most important and the next ones are shown. */
const MAX_ROWS = 300;

/** The uploads of this tab: `region` "Uploads". Shown on every page, as files may be dropped on each. */
export function UploadsTray() {
  const { folder } = useParams({ strict: false });
  const { folder: behindItem } = useSearch({ strict: false });
  return (
    <>
      <DropArea folder={folder ?? behindItem ?? null} />
      <Tray />
    </>
  );
}

function Tray() {
  const uploads = useSyncExternalStore(subscribe, listUploads);
  const imports = useSyncExternalStore(subscribeToImports, listImports);
  const [isOpen, setIsOpen] = useState(true);
  if (uploads.length + imports.length === 0) return null;
  const totals = totalsOf(uploads);
  const isImporting = imports.some(({ problem }) => problem === null);
  const title = titleOf(totals, isImporting);
  const shown = inOrder(uploads, MAX_ROWS);
  const hidden = uploads.length - shown.length;
  const percent = totals.size === 0 ? 0 : Math.floor((100 * totals.loaded) / totals.size);
  const isClearable = uploads.some(isFinished) || imports.some(({ problem }) => problem !== null);
  return (
    <section className="uploads" aria-label="Uploads">
      <header>
        <Button
          variant="quiet"
          className="uploads-fold"
          aria-label={isOpen ? 'Hide the list' : 'Show the list'}
          aria-expanded={isOpen}
          onPress={() => setIsOpen(!isOpen)}
        >
          <span className="uploads-arrow" aria-hidden="true" />
        </Button>
        <h2>{title}</h2>
        {isClearable && (
          <Button
            variant="quiet"
            onPress={() => {
              forgetEndedImports();
              void clearFinished();
            }}
          >
            Clear finished
          </Button>
        )}
        {totals.unfinished > 0 && <div className="uploads-bar" style={{ inlineSize: `${percent}%` }} />}
      </header>
      {/* Screen readers announce the end of all uploads, not their progress. */}
      <p className="visually-hidden" role="status">
        {totals.unfinished === 0 && !isImporting ? title : ''}
      </p>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: Safari scrolls by keyboard only what has the focus
        <div className="uploads-list" tabIndex={0}>
          <ul>
            {[...imports]
              .sort((one, other) => Number(one.problem === null) - Number(other.problem === null))
              .map((one) => (
                <ImportRow key={one.id} {...one} />
              ))}
            {shown.map((upload) => (
              <UploadRow
                key={upload.id}
                {...upload}
                onCancel={cancelUpload}
                onPause={pauseUpload}
                onRetry={retryUpload}
              />
            ))}
          </ul>
          {hidden > 0 && <p className="uploads-more">And {formatNumber(hidden)} more</p>}
        </div>
      )}
    </section>
  );
}

/** An import has no known progress: its bar moves without a number. */
function ImportRow({ id, name, url, problem }: Import) {
  const nameId = useId();
  return (
    <li className="upload" data-phase={problem === null ? 'sending' : 'failed'}>
      <span className="upload-name" id={nameId} title={name}>
        {name}
      </span>
      <span className="upload-state">{problem === null ? 'Importing' : 'Failed'}</span>
      {problem !== null && (
        <div className="upload-buttons">
          <Button variant="quiet" aria-describedby={nameId} onPress={() => void retryImport(id)}>
            Retry
          </Button>
        </div>
      )}
      {problem === null ? (
        <div className="upload-progress" role="progressbar" aria-labelledby={nameId}>
          <div className="upload-moving" />
        </div>
      ) : (
        <p className="upload-problem">
          {problem} <span className="upload-url">{url}</span>
        </p>
      )}
    </li>
  );
}
