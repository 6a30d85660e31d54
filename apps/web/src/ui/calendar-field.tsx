import './calendar.css';
import { type ReactNode, useRef, useState } from 'react';
import { Dialog, Popover } from 'react-aria-components';
import { Button } from './button.tsx';
import { CalendarIcon } from './icons.tsx';
import { lazyDialog } from './lazy-dialog.tsx';

const DateCalendar = lazyDialog(async () => (await import('./date-calendar.tsx')).DateCalendar);

interface CalendarFieldProps {
  /** A date in the form `2026-11-21`; empty if there is none. */
  readonly date: string;
  readonly isDisabled?: boolean;
  onChange(date: string): void;
  /** The input element. */
  readonly children: ReactNode;
}

/**
 * A date input with a button that opens a calendar. Touch screens get the browser's own calendar, which is designed for
 * touch. The button isn't a tab stop, because typing a date is faster; Alt and the down arrow open the calendar from
 * the input.
 */
export function CalendarField({ date, isDisabled = false, onChange, children }: CalendarFieldProps) {
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key acts on the input inside
    <div
      ref={box}
      className="calendar-field"
      onKeyDown={(event) => {
        if (!event.altKey || event.key !== 'ArrowDown' || isDisabled || event.target !== box.current?.firstElementChild)
          return;
        event.preventDefault();
        setIsOpen(true);
      }}
    >
      {children}
      <Button
        variant="quiet"
        excludeFromTabOrder
        isDisabled={isDisabled}
        aria-label="Open the calendar"
        onPress={() => setIsOpen(true)}
      >
        <CalendarIcon />
      </Button>
      <Popover
        triggerRef={box}
        isOpen={isOpen}
        onOpenChange={setIsOpen}
        placement="bottom end"
        className="menu-box calendar-box"
      >
        <Dialog aria-label="Calendar" className="calendar-dialog">
          <DateCalendar date={date} onChange={onChange} onClose={() => setIsOpen(false)} />
        </Dialog>
      </Popover>
    </div>
  );
}
