import '@postshelf/elements/styles/controls.css';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

export interface ButtonProps extends AriaButtonProps {
  /** `primary` for the main action of the page, at most one; `danger` for what can't be undone. */
  readonly variant?: 'plain' | 'primary' | 'danger' | 'quiet';
}

export const Button = ({ variant = 'plain', className, ...props }: ButtonProps) => (
  <AriaButton {...props} className={`button button-${variant} ${typeof className === 'string' ? className : ''}`} />
);
