import { type CalendarDate, parseDate } from '@internationalized/date';
import {
  Button as AriaButton,
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  Heading,
} from 'react-aria-components';
import { NextIcon, PreviousIcon } from './icons.tsx';

interface DateCalendarProps {
  /** A date in the form `2026-11-21`; empty if there is none. */
  readonly date: string;
  onChange(date: string): void;
  /** Called before {@link onChange}. */
  onClose(): void;
}

/** A calendar in which the user chooses a day. Its code is loaded when it is first opened. */
export const DateCalendar = ({ date, onChange, onClose }: DateCalendarProps) => (
  <Calendar
    aria-label="Date"
    autoFocus
    firstDayOfWeek="mon"
    value={read(date)}
    onChange={(chosen) => {
      onClose();
      onChange(chosen.toString());
    }}
    className="calendar"
  >
    <header>
      <AriaButton slot="previous" className="button button-quiet">
        <PreviousIcon />
      </AriaButton>
      <Heading level={3} />
      <AriaButton slot="next" className="button button-quiet">
        <NextIcon />
      </AriaButton>
    </header>
    <CalendarGrid>
      <CalendarGridHeader>{(day) => <CalendarHeaderCell>{day}</CalendarHeaderCell>}</CalendarGridHeader>
      <CalendarGridBody>{(day) => <CalendarCell date={day} className="calendar-day" />}</CalendarGridBody>
    </CalendarGrid>
  </Calendar>
);

/** Parses a date; null while the user is typing and the date is incomplete. */
function read(date: string): CalendarDate | null {
  try {
    return parseDate(date);
  } catch {
    return null;
  }
}
