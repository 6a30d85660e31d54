import '@postshelf/browser/styles/controls.css';
import { useId } from 'react';

export interface SelectProps<Value extends string> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  /** The service's error about the chosen value. */
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
  onChange(value: Value): void;
}

/** The browser's own select, which works well on every device, and with screen readers and test tools. */
export function Select<Value extends string>({
  label,
  isLabelHidden,
  value,
  options,
  error,
  isDisabled,
  onChange,
}: SelectProps<Value>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={({ target }) => onChange(target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {error !== undefined && (
        <span slot="errorMessage" role="alert" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}
