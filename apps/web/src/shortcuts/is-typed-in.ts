/** Whether key presses on an element enter text. */
export const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.closest('textarea, select, input:not([type="checkbox"], [type="radio"])') !== null);

/** Whether a dialog is open that has to be closed first. An open item doesn't count as one. */
export const isAsked = (): boolean => document.querySelector('[role$="dialog"]:not(.viewer), [role="menu"]') !== null;
