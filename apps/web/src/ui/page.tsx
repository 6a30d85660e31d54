import './page.css';
import { type ReactNode, useRef } from 'react';
import { useFocusAfterRemoval } from './use-focus-after-removal.ts';
import { useKeptScroll } from './use-kept-scroll.ts';
import { useTitle } from './use-title.ts';

export interface PageProps {
  readonly title: string;
  /** Controls next to the title that choose what the page shows. */
  readonly controls?: ReactNode;
  readonly children: ReactNode;
}

/**
 * A page with a heading, below which the content scrolls. The page restores the scroll position at which it was left.
 */
export function Page({ title, controls, children }: PageProps) {
  useTitle(title);
  // Either element may scroll: on a narrow screen, the heading scrolls together with the content.
  const main = useRef<HTMLElement>(null);
  const body = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(main);
  const onMainScroll = useKeptScroll(main);
  const onBodyScroll = useKeptScroll(body);
  return (
    <main ref={main} className="page" onScroll={onMainScroll}>
      <header className="page-head">
        <h1>{title}</h1>
        {controls && <div className="page-controls">{controls}</div>}
      </header>
      <div ref={body} className="page-body" onScroll={onBodyScroll}>
        {children}
      </div>
    </main>
  );
}
