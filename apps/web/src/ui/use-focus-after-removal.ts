import { type RefObject, useEffect } from 'react';

const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex="0"]):not(:disabled)';

/**
 * Moves the focus to the next element of a page if the focused one is removed, for example together with a deleted
 * row. Otherwise, keyboard users would continue at the top of the document, and screen readers would lose their place.
 */
export function useFocusAfterRemoval(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const page = ref.current;
    if (!page) return;
    const all = (): HTMLElement[] => [...page.querySelectorAll<HTMLElement>(FOCUSABLE)];
    let last: { readonly element: Element; readonly index: number } | null = null;
    const onFocus = ({ target }: FocusEvent): void => {
      if (target instanceof HTMLElement) last = { element: target, index: all().indexOf(target) };
    };
    const onBlur = ({ target, relatedTarget }: FocusEvent): void => {
      // A click next to the page's elements ends the use of the keyboard. The browser also reports the blur of an
      // element that is about to be removed.
      queueMicrotask(() => {
        if (relatedTarget === null && last?.element === target && last.element.isConnected) last = null;
      });
    };
    // The whole document is observed, because the element may be removed while a dialog has the focus.
    const observer = new MutationObserver(() => {
      if (last === null || last.element.isConnected || document.activeElement !== document.body) return;
      const { index } = last;
      last = null;
      const left = all();
      left[Math.min(Math.max(index, 0), left.length - 1)]?.focus({ preventScroll: true });
    });
    page.addEventListener('focusin', onFocus);
    page.addEventListener('focusout', onBlur);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      page.removeEventListener('focusin', onFocus);
      page.removeEventListener('focusout', onBlur);
    };
  }, [ref]);
}
