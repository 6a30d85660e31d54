import { useBlocker } from '@tanstack/react-router';
import { type ComponentType, useCallback, useRef, useState } from 'react';
import { DiscardQuestion, type DiscardQuestionProps } from './discard-question.tsx';

/**
 * Asks for confirmation before something is lost, such as typed values, because a dialog is closed or the user navigates
 * away.
 *
 * @param staysOpen whether navigation away from the page doesn't close the dialog
 * @param Question the question; by default, whether to discard what was typed
 * @returns `close`, which closes the dialog or asks first, `done`, which closes it without asking, `onDirty`, which has
 *   to be called with whether there are unsaved changes, and the question
 */
export function useUnsaved(
  staysOpen: boolean,
  onClose: () => void,
  Question: ComponentType<DiscardQuestionProps> = DiscardQuestion,
) {
  const isDirty = useRef(false);
  const [isAsking, setIsAsking] = useState(false);
  const leaving = useBlocker({
    shouldBlockFn: () => isDirty.current,
    enableBeforeUnload: () => isDirty.current,
    withResolver: true,
  });
  const onDirty = useCallback((dirty: boolean): void => {
    isDirty.current = dirty;
  }, []);
  const done = (): void => {
    isDirty.current = false;
    onClose();
  };
  return {
    close: () => (isDirty.current ? setIsAsking(true) : onClose()),
    done,
    onDirty,
    question: (
      <Question
        isOpen={isAsking || leaving.status === 'blocked'}
        onKeep={() => {
          setIsAsking(false);
          leaving.reset?.();
        }}
        onDiscard={() => {
          leaving.proceed?.();
          if (isAsking || staysOpen) done();
        }}
      />
    ),
  };
}
