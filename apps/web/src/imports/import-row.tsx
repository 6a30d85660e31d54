import { useId } from 'react';
import type { Import } from './imports.ts';

/** How far an import has come nobody tells: its bar moves, without a number. */
export function ImportRow({ name, problem }: Import) {
  const nameId = useId();
  return (
    <li className="upload" data-phase={problem === null ? 'sending' : 'failed'}>
      <span className="upload-name" id={nameId} title={name}>
        {name}
      </span>
      <span className="upload-state">{problem === null ? 'Importing' : 'Failed'}</span>
      {problem === null ? (
        <div className="upload-progress" role="progressbar" aria-labelledby={nameId}>
          <div className="upload-moving" />
        </div>
      ) : (
        <p className="upload-problem">{problem}</p>
      )}
    </li>
  );
}
