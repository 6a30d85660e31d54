import './page.css';
import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

export interface PageProps {
  readonly title: string;
  /** Controls beside the title that choose what the page shows. */
  readonly controls?: ReactNode;
  readonly children: ReactNode;
}

/** A page with a heading, below which its content scrolls. */
export function Page({ title, controls, children }: PageProps) {
  useTitle(title);
  return (
    <main className="page">
      <header className="page-head">
        <h1>{title}</h1>
        {controls && <div className="page-controls">{controls}</div>}
      </header>
      <div className="page-body">{children}</div>
    </main>
  );
}
