import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';

export interface DiscardQuestionProps {
  readonly isOpen: boolean;
  onKeep(): void;
  onDiscard(): void;
}

/** Asks for confirmation before what was typed is discarded. */
export const DiscardQuestion = ({ isOpen, onKeep, onDiscard }: DiscardQuestionProps) => (
  <Dialog title="Discard unsaved changes?" role="alertdialog" isOpen={isOpen} onClose={onKeep}>
    <p>Your changes haven’t been saved.</p>
    <DialogActions>
      <Button autoFocus onPress={onKeep}>
        Keep editing
      </Button>
      <Button variant="danger" onPress={onDiscard}>
        Discard
      </Button>
    </DialogActions>
  </Dialog>
);
