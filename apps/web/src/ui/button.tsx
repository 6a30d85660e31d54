import '@postshelf/browser/styles/controls.css';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

export interface ButtonProps extends AriaButtonProps {
  /** `primary` for the main action of the page, at most one; `danger` for what can't be undone. */
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** The id of the element that says why the button is disabled; null if there is no such reason. */
  readonly disabledBy?: string | null;
}

/**
 * A button that keeps the focus and does nothing while it is pending. Doesn't use react-aria's `isPending`, which
 * announces the button by its id for seven seconds: an unnamed image once the button is removed, for example with its
 * dialog.
 */
export const Button = ({ variant = 'plain', className, disabledBy = null, isPending, ...props }: ButtonProps) => (
  <AriaButton
    {...props}
    {...(isPending && { 'aria-disabled': true, type: 'button', onPress: () => {} })}
    {...(disabledBy !== null && { isDisabled: true, 'aria-describedby': disabledBy })}
    className={`button button-${variant} ${typeof className === 'string' ? className : ''}`}
  />
);
