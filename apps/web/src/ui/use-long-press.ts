import { type PointerEvent, useRef } from 'react';

/** Duration of a long press in milliseconds, after which react-aria has selected the row. */
const LONG_PRESS = 550;

/**
 * Returns props that detect a long press, because iOS fires no event for it. If the touch becomes a scroll, the browser
 * cancels the pointer, so no long press is reported.
 */
export function useLongPress(onLongPress: (target: EventTarget) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stop = (): void => clearTimeout(timer.current);
  return {
    onPointerDownCapture({ pointerType, target }: PointerEvent) {
      stop();
      if (pointerType === 'touch') timer.current = setTimeout(() => onLongPress(target), LONG_PRESS);
    },
    onPointerUpCapture: stop,
    onPointerCancelCapture: stop,
  };
}
