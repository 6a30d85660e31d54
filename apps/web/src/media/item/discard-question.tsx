import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

export interface DiscardQuestionProps {
  readonly isOpen: boolean;
  onKeep(): void;
  onDiscard(): void;
}

/** Asked before what was typed is lost. */
export const DiscardQuestion = ({ isOpen, onKeep, onDiscard }: DiscardQuestionProps) => (
  <Dialog title="Discard unsaved changes?" role="alertdialog" isOpen={isOpen} onClose={onKeep}>
    <p>What you typed has not been saved.</p>
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
