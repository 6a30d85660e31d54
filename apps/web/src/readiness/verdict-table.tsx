import './readiness.css';
import type { ReactNode } from 'react';
import { sentenceOf } from '../service/service.ts';

export const VERDICTS = { ready: 'Ready', warning: 'Ready, with advice', not_ready: 'Not ready' } as const;

interface VerdictTableProps {
  /** The id of the heading, which names the table. */
  readonly id: string;
  readonly className?: string;
  readonly error: unknown;
  /** The rows, one for each target; undefined until they are known. */
  readonly rows: ReactNode;
  /** Shown below the table. */
  readonly children?: ReactNode;
}

/** Shows which targets accept some media, under the heading "Ready to publish". */
export function VerdictTable({ id, className = '', error, rows, children }: VerdictTableProps) {
  return (
    <section className={`readiness ${className}`} aria-labelledby={id}>
      <h3 id={id}>Ready to publish</h3>
      {error !== null && <p role="alert">{sentenceOf(error)}</p>}
      {!rows && error === null && <p aria-busy="true">Checking…</p>}
      {rows && (
        <table aria-labelledby={id}>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Target</th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>{rows}</tbody>
        </table>
      )}
      {children}
    </section>
  );
}
