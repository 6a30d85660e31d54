import { ChangingText } from '@postshelf/browser/ui/changing-text.tsx';
import '@postshelf/browser/uploads/upload-row.css';
import './uploads-tray.css';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { titleOf } from '@postshelf/browser/uploads/sentences.ts';
import { leftInWords, type Sample, secondsLeft, withSample } from '@postshelf/browser/uploads/time-left.ts';
import { inOrder, isFinished, type Totals, totalsOf } from '@postshelf/browser/uploads/upload.ts';
import { UploadStatus } from '@postshelf/browser/uploads/upload-status.tsx';
import { useParams, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { forgetEndedImports, type Import, retryImport, useImports } from '../imports/imports.ts';
import { Button } from '../ui/button.tsx';
import { DropArea } from './drop-area.tsx';
import { useOriginals } from './duplicates.ts';
import { TrayRow } from './tray-row.tsx';
import { clearFinished, useUploads } from './uploads.ts';

/**
 * Maximum number of rows in the document. If there are more uploads, those in progress, the failed ones and the next
 * waiting ones are shown.
 */
const MAX_ROWS = 300;

/**
 * Shows the uploads of this tab in the region "Uploads". It is on every page, because every page accepts dropped files.
 */
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
  const uploads = useUploads();
  const imports = useImports();
  const originals = useOriginals();
  const isRunning = uploads.some((upload) => !isFinished(upload)) || imports.some(({ problem }) => problem === null);
  const hasMessages =
    imports.some(({ problem }) => problem !== null) ||
    uploads.some((one) => one.problem !== null || one.shortenedTo !== null || originals.has(one.item?.id ?? ''));
  const tray = useRef<HTMLElement>(null);
  const { isOpen, toggle } = useFolding(tray, isRunning, hasMessages);
  const left = useTimeLeft(totalsOf(uploads));
  if (uploads.length + imports.length === 0) return null;
  const totals = totalsOf(uploads);
  const isImporting = imports.some(({ problem }) => problem === null);
  const title = titleOf(totals, isImporting);
  const shown = inOrder(uploads, MAX_ROWS);
  const hidden = uploads.length - shown.length;
  const percent = totals.size === 0 ? 0 : Math.floor((100 * totals.loaded) / totals.size);
  const isClearable = uploads.some(isFinished) || imports.some(({ problem }) => problem !== null);
  return (
    <section className="uploads" aria-label="Uploads" ref={tray}>
      <header>
        <Button
          variant="quiet"
          className="uploads-fold"
          aria-label={isOpen ? 'Hide the list' : 'Show the list'}
          aria-expanded={isOpen}
          onPress={toggle}
        >
          <span className="uploads-arrow" aria-hidden="true" />
        </Button>
        <h2>
          <ChangingText>{title}</ChangingText>{' '}
          {left !== null && (
            <span className="uploads-left">
              <ChangingText>{left}</ChangingText>
            </span>
          )}
        </h2>
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
      <UploadStatus
        title={title}
        isRunning={isRunning}
        failures={[
          ...uploads.filter(({ phase }) => phase === 'failed'),
          ...imports.filter(({ problem }) => problem !== null),
        ]}
      />
      {/* The rows of a folded list stay in the document, so that thumbnails aren't read from the files again. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: in Safari the keyboard only scrolls focused elements */}
      <div className="uploads-list" tabIndex={0} hidden={!isOpen}>
        <ul>
          {[...imports]
            .sort((one, other) => Number(one.problem === null) - Number(other.problem === null))
            .map((one) => (
              <ImportRow key={one.id} {...one} />
            ))}
          {shown.map((upload) => (
            <TrayRow key={upload.id} upload={upload} original={originals.get(upload.item?.id ?? '')} />
          ))}
        </ul>
        {hidden > 0 && <p className="uploads-more">And {formatNumber(hidden)} more</p>}
      </div>
    </section>
  );
}

/** Milliseconds after all uploads have ended until the list is folded. */
const FOLDED_AFTER = 10_000;

/**
 * Returns whether the list is open, and a function that opens or folds it. New uploads open it. It is folded some time
 * after all uploads have ended, unless it has messages, or contains the pointer or the focus.
 */
function useFolding(tray: RefObject<HTMLElement | null>, isRunning: boolean, hasMessages: boolean) {
  const [isOpen, setIsOpen] = useState(true);
  const isDone = !isRunning && !hasMessages;
  const [wasRunning, setWasRunning] = useState(isRunning);
  if (isRunning !== wasRunning) {
    setWasRunning(isRunning);
    if (isRunning) setIsOpen(true);
  }
  useEffect(() => {
    if (!isDone) return;
    const timer = setInterval(() => {
      if (tray.current?.matches(':hover, :focus-within')) return;
      clearInterval(timer);
      setIsOpen(false);
    }, FOLDED_AFTER);
    return () => clearInterval(timer);
  }, [isDone, tray]);
  return { isOpen, toggle: () => setIsOpen(!isOpen) };
}

/** Milliseconds between two estimates. */
const ESTIMATED_EVERY = 1000;

/** Returns the estimated time until everything is sent: "about 5 min left"; null while there is no estimate. */
function useTimeLeft({ unfinished, loaded, size }: Totals): string | null {
  const [words, setWords] = useState<string | null>(null);
  const isSending = unfinished > 0 && loaded < size;
  const sent = useStableCallback(() => ({ at: performance.now(), loaded }));
  const whole = useStableCallback(() => size);
  useEffect(() => {
    if (!isSending) return;
    let samples: readonly Sample[] = [sent()];
    const timer = setInterval(() => {
      samples = withSample(samples, sent());
      const seconds = secondsLeft(samples, whole());
      setWords(seconds === null ? null : leftInWords(seconds));
    }, ESTIMATED_EVERY);
    return () => {
      clearInterval(timer);
      setWords(null);
    };
  }, [isSending, sent, whole]);
  return words;
}

/** An import. Its progress isn't known, so its bar is indeterminate. */
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
