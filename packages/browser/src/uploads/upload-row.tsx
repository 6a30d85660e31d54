import { memo, type ReactNode, useId } from 'react';
import { stateOf, UPLOAD_WORDS, type UploadWords } from './sentences.ts';
import { canPause, isFinished, type Upload } from './upload.ts';

export interface UploadRowProps extends Upload {
  onCancel(id: string): void;
  onPause(id: string): void;
  /** Retries or resumes the upload. */
  onRetry(id: string): void;
  readonly words?: UploadWords;
  /** Shown before the name. */
  readonly thumbnail?: ReactNode;
  /** Shown next to the buttons. */
  readonly link?: (nameId: string) => ReactNode;
  /** Shown below the progress bar. */
  readonly note?: ReactNode;
}

/**
 * An upload in a list. The component is memoized, because there may be hundreds of rows, so its callbacks must be
 * stable.
 */
export const UploadRow = memo(
  ({ onCancel, onPause, onRetry, words = UPLOAD_WORDS, thumbnail, link, note, ...upload }: UploadRowProps) => {
    const { id, name, size, loaded, phase, problem, shortenedTo, canRetry } = upload;
    const nameId = useId();
    const percent = size === 0 ? 0 : Math.floor((100 * loaded) / size);
    return (
      <li className="upload" data-phase={phase} data-thumbnail={thumbnail === undefined ? undefined : ''}>
        {thumbnail}
        <span className="upload-name" id={nameId} title={name}>
          {name}
        </span>
        <span className="upload-state">{stateOf({ phase, loaded, size }, words)}</span>
        <div className="upload-buttons">
          {/* A single button pauses and resumes, so that it keeps the focus. */}
          {(canPause(upload) || phase === 'paused') && (
            <button
              type="button"
              className="button button-quiet"
              aria-describedby={nameId}
              onClick={() => (phase === 'paused' ? onRetry(id) : onPause(id))}
            >
              {phase === 'paused' ? words.resume : words.pause}
            </button>
          )}
          {!isFinished(upload) && (
            <button
              type="button"
              className="button button-quiet"
              aria-label={words.cancelUploadOf.replace('{name}', () => name)}
              onClick={() => onCancel(id)}
            >
              {words.cancelUpload}
            </button>
          )}
          {canRetry && (
            <button type="button" className="button button-quiet" aria-describedby={nameId} onClick={() => onRetry(id)}>
              {words.retry}
            </button>
          )}
          {link?.(nameId)}
        </div>
        <div
          className="upload-progress"
          role="progressbar"
          aria-labelledby={nameId}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
        >
          <div style={{ inlineSize: `${percent}%` }} />
        </div>
        {problem !== null && <p className="upload-problem">{problem}</p>}
        {shortenedTo !== null && <p className="upload-note">{words.shortened.replace('{name}', () => shortenedTo)}</p>}
        {note}
      </li>
    );
  },
);
