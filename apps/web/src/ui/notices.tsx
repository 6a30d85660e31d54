import './notices.css';
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { Button } from './button.tsx';

export interface Notice {
  readonly text: string;
  readonly tone?: 'plain' | 'bad';
  /** What takes back what was done, while the notice stands. */
  readonly undo?: () => void;
}

/** Milliseconds; long enough to read a sentence and to reach its button. */
const SHOWN_FOR = 10_000;

const Notices = createContext<(notice: Notice) => void>(() => {});

/** Tells what was done, or why not, in a line at the page's foot that screen readers say. */
export const useNotify = (): ((notice: Notice) => void) => useContext(Notices);

export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly (Notice & { readonly id: number })[]>([]);
  const last = useRef(0);
  const close = useCallback((id: number) => setShown((notices) => notices.filter((notice) => notice.id !== id)), []);
  const notify = useCallback(
    (notice: Notice) => {
      last.current += 1;
      const id = last.current;
      setShown((notices) => [...notices.slice(-2), { ...notice, id }]);
      setTimeout(() => close(id), SHOWN_FOR);
    },
    [close],
  );
  return (
    <Notices value={notify}>
      {children}
      <div className="notices" role="status">
        {shown.map(({ id, text, tone = 'plain', undo }) => (
          <p key={id} className="notice" data-tone={tone}>
            {text}
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
