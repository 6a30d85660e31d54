import { stateOf } from '@postshelf/elements/uploads/sentences.ts';
import { isFinished, type Upload } from '@postshelf/elements/uploads/upload.ts';
import { memo, useId } from 'react';
import { Button } from '../ui/button.tsx';
import { cancelUpload, retryUpload } from './uploads.ts';

/** A file on its way. Drawn anew where something of it has changed alone: there are hundreds. */
export const UploadRow = memo(function UploadRow({ id, name, size, loaded, phase, problem }: Upload) {
  const nameId = useId();
  const percent = size === 0 ? 0 : Math.floor((100 * loaded) / size);
  return (
    <li className="upload" data-phase={phase}>
      <span className="upload-name" id={nameId} title={name}>
        {name}
      </span>
      <span className="upload-state">{stateOf({ phase, loaded, size })}</span>
      {!isFinished({ phase }) && (
        <Button variant="quiet" aria-describedby={nameId} onPress={() => void cancelUpload(id)}>
          Cancel
        </Button>
      )}
      {(phase === 'failed' || phase === 'cancelled') && (
        <Button variant="quiet" aria-describedby={nameId} onPress={() => void retryUpload(id)}>
          Retry
        </Button>
      )}
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
    </li>
  );
});
