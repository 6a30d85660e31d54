/** Whether keys that are pressed on an element are text. */
export const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('textarea, select, input:not([type="checkbox"], [type="radio"])') !== null);

/** Whether a dialog is open that has to be answered first. An open item isn't one. */
export const isAsked = (): boolean => document.querySelector('[role$="dialog"]:not(.viewer), [role="menu"]') !== null;
