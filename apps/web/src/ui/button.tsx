import '@postshelf/browser/styles/controls.css';
import type { Ref } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

export interface ButtonProps extends AriaButtonProps {
  /**
   * `primary` is for the main action of the page, of which there is at most one. `danger` is for actions that can't be
   * undone.
   */
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet';
  /** The id of the element that says why the button is disabled; null if there is no such reason. */
  readonly disabledBy?: string | null;
  readonly ref?: Ref<HTMLButtonElement>;
}

/**
 * A button that keeps the focus and does nothing while it is pending. It doesn't use react-aria's `isPending`, which
 * makes screen readers announce an unnamed image if the button is removed within seven seconds, for example because its
 * dialog is closed.
 */
export const Button = ({ variant = 'plain', className, disabledBy = null, isPending, ...props }: ButtonProps) => (
  <AriaButton
    {...props}
    {...(isPending && { 'aria-disabled': true, type: 'button', onPress: () => {} })}
    {...(disabledBy !== null && { isDisabled: true, 'aria-describedby': disabledBy })}
    className={`button button-${variant} ${typeof className === 'string' ? className : ''}`}
  />
);
