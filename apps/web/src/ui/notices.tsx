import './notices.css';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { Button } from './button.tsx';

export interface Notice {
  readonly text: string;
  readonly tone?: 'plain' | 'bad';
  /** Undoes the change; offered while the notice is shown. */
  readonly undo?: (() => void) | undefined;
  /** A link to the result. */
  readonly link?: { readonly label: string; readonly href: string; follow(): void };
  /** Whether the work is in progress. The notice then stays until it is replaced. */
  readonly isPending?: boolean;
}

export interface ShownNotice {
  /** Replaces the notice with another one. */
  replace(notice: Notice): void;
  close(): void;
}

/** Milliseconds for which a notice is shown: long enough to read a sentence and to reach its button. */
const SHOWN_FOR = 10_000;

type Notify = (notice: Notice) => ShownNotice;

const Notices = createContext<Notify>(() => ({ replace() {}, close() {} }));
const Undo = createContext<() => void>(() => {});

/**
 * Returns a function that shows a notice at the bottom of the page. The notice says what was done, or why something
 * wasn't done, and screen readers announce it.
 */
export const useNotify = (): Notify => useContext(Notices);

/** Returns a function that undoes the change of the latest notice that offers undo, if one is shown. */
export const useUndo = (): (() => void) => useContext(Undo);

export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly (Notice & { readonly id: number })[]>([]);
  const last = useRef(0);
  const list = useRef<HTMLDivElement>(null);
  const close = useCallback((id: number) => setShown((notices) => notices.filter((notice) => notice.id !== id)), []);
  const closeLater = useCallback(
    (id: number): void => {
      setTimeout(() => {
        // A notice must not disappear while the user is about to press its button (WCAG 2.2.1).
        if (list.current?.querySelector('.notice:is(:hover, :focus-within)')) closeLater(id);
        else close(id);
      }, SHOWN_FOR);
    },
    [close],
  );
  const notify = useCallback(
    (first: Notice): ShownNotice => {
      last.current += 1;
      const id = last.current;
      const replace = (notice: Notice): void => {
        setShown((notices) => [...notices.filter((other) => other.id !== id).slice(-2), { ...notice, id }]);
        if (!notice.isPending) closeLater(id);
      };
      replace(first);
      return { replace, close: () => close(id) };
    },
    [close, closeLater],
  );
  const undoLast = useStableCallback((): void => {
    const last = shown.findLast(({ undo }) => undo !== undefined);
    if (!last) return;
    close(last.id);
    last.undo?.();
  });
  return (
    <Notices value={notify}>
      <Undo value={undoLast}>{children}</Undo>
      {/* Notices are in the top layer, so that they can be reached and are announced while a dialog is open. */}
      <div ref={list} className="notices" role="status" data-react-aria-top-layer="true">
        {shown.map(({ id, text, tone = 'plain', undo, link }) => (
          <p key={id} className="notice" data-tone={tone}>
            {text}
            {link && (
              <a
                href={link.href}
                onClick={(event) => {
                  // The browser handles clicks with modifier keys, which may for example open a new tab.
                  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
                  event.preventDefault();
                  close(id);
                  link.follow();
                }}
              >
                {link.label}
              </a>
            )}
            {undo && (
              <Button
                variant="quiet"
                onPress={() => {
                  close(id);
                  undo();
                }}
              >
                Undo
              </Button>
            )}
            <Button variant="quiet" aria-label="Close" onPress={() => close(id)}>
              ×
            </Button>
          </p>
        ))}
      </div>
    </Notices>
  );
}
