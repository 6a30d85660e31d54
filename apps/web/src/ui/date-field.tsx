import '@postshelf/browser/styles/controls.css';
import { useId, useState } from 'react';
import { CalendarField } from './calendar-field.tsx';

export interface DateFieldProps {
  readonly label: string;
  /** A date in the form `2026-11-21`; empty if there is none. */
  readonly value: string;
  /** The service's error about the value. */
  readonly error?: string | undefined;
  /** Called with a complete date, or with an empty text when the user leaves the field empty. */
  onChange(value: string): void;
}

/**
 * Whether a date is complete: while a year is typed digit by digit, the value is `0002`, `0020`, `0202` and finally
 * `2026`.
 */
const isWhole = (date: string): boolean => date >= '1000';

/**
 * The browser's own date field, with a calendar that looks the same in all browsers. Its value isn't changed from
 * outside while the user is editing it, because that would restart the entry.
 */
export function DateField({ label, value, error, onChange }: DateFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <CalendarField date={typed ?? value} onChange={onChange}>
        <input
          id={id}
          type="date"
          value={typed ?? value}
          aria-invalid={error !== undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          onChange={({ target }) => {
            setTyped(target.value);
            if (isWhole(target.value)) onChange(target.value);
          }}
          onBlur={() => {
            setTyped(null);
            if (typed === '') onChange('');
          }}
        />
      </CalendarField>
      {error !== undefined && (
        <span slot="errorMessage" role="alert" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}
