import { ChangingText } from '@postshelf/browser/ui/changing-text.tsx';
import './selection-bar.css';
import type { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { type ReactNode, useEffect } from 'react';
import { Toolbar } from 'react-aria-components';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { CloseIcon } from '../../ui/icons.tsx';

interface SelectionBarProps {
  readonly selection: Pick<ReturnType<typeof useRowSelection>, 'count' | 'clear' | 'selectAll'>;
  readonly total: number;
  /** The buttons for the actions. */
  readonly children: ReactNode;
}

/** The actions for the selected items, shown in place of the page's header. */
export function SelectionBar({ selection: { count, clear, selectAll }, total, children }: SelectionBarProps) {
  useFocusGridAfter();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pressing Escape in any of its controls clears the selection
    <div
      className="selection"
      onKeyDown={({ key }) => {
        if (key === 'Escape') clear();
      }}
    >
      <Toolbar aria-label="Selection">
        <Button variant="quiet" className="selection-clear" aria-label="Clear selection" onPress={clear}>
          <CloseIcon />
        </Button>
        <span className="selection-count">
          <ChangingText>{`${formatNumber(count)} selected`}</ChangingText>
        </span>
        {count < total && (
          <Button variant="quiet" className="selection-all" onPress={selectAll}>
            Select all {formatNumber(total)}
          </Button>
        )}
        <div className="selection-actions">{children}</div>
      </Toolbar>
    </div>
  );
}

/** Moves the focus to the grid if the focused element was removed. */
function useFocusGridAfter(): void {
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        document.querySelector<HTMLElement>('[role="grid"] [role="row"][tabindex="0"]')?.focus({ preventScroll: true });
      });
    },
    [],
  );
}

interface SelectionActionProps extends ButtonProps {
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

/** A button of the selection bar. On a narrow screen, its icon is above its label. */
export const SelectionAction = ({ icon, children, ...props }: SelectionActionProps) => (
  <Button {...props} variant={props.variant ?? 'quiet'} className="selection-action">
    {icon}
    <span>{children}</span>
  </Button>
);
