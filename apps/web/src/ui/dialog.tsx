import './dialog.css';
import { type ReactNode, useId } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button, type ButtonProps } from './button.tsx';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** `alertdialog` asks for confirmation of something that can't be undone. */
  readonly role?: 'dialog' | 'alertdialog';
  /** Whether a click outside leaves the dialog open, because much typed text could be lost. */
  readonly staysOpen?: boolean;
  readonly isWide?: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

/** A modal dialog, named by its title; Escape and a click outside close it. */
export const Dialog = ({ title, isOpen, role = 'dialog', staysOpen, isWide, onClose, children }: DialogProps) => (
  <ModalOverlay
    isOpen={isOpen}
    onOpenChange={(open) => !open && onClose()}
    isDismissable={!staysOpen}
    className="dialog-overlay"
  >
    <Modal className={isWide ? 'dialog-box dialog-wide' : 'dialog-box'}>
      <AriaDialog role={role} className="dialog">
        <Heading slot="title" level={2}>
          {title}
        </Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

/**
 * The button that closes a dialog. Its label is "Cancel", or "Close" once the dialog's action has started, because
 * closing the dialog doesn't stop the action.
 */
export const CancelButton = ({ hasStarted = false, onPress }: { readonly hasStarted?: boolean; onPress(): void }) => (
  <Button onPress={onPress}>{hasStarted ? 'Close' : 'Cancel'}</Button>
);

interface ConfirmButtonProps extends ButtonProps {
  /** Why the dialog's action can't succeed yet. The reason is shown next to the buttons, and disables this button. */
  readonly reason: string | null;
}

/** The button that performs the dialog's action. */
export function ConfirmButton({ reason, ...props }: ConfirmButtonProps) {
  const id = useId();
  return (
    <>
      {/* This element is always rendered, because screen readers announce only changes in an existing element. */}
      <p id={id} role="status" className="dialog-reason">
        {reason}
      </p>
      <Button variant="primary" disabledBy={reason === null ? null : id} {...props} />
    </>
  );
}

/** The buttons at the bottom of a dialog, the main action last. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
);
