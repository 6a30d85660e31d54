import { useNotify } from './notices.tsx';

/**
 * Returns a function that copies a text and then shows the given notice, or says that the browser doesn't allow it. It
 * has to be called while a click is handled. A text that has yet to be read is given as a promise, because Safari lets
 * pages write to the clipboard only in the click itself. The function throws whatever the promise rejects with.
 */
export function useCopyText(): (text: string | Promise<string>, notice: string) => Promise<void> {
  const notify = useNotify();
  return async (text, notice) => {
    const isCopied = typeof text !== 'string' && copyLater(text);
    const known = await text;
    if ((await isCopied) || (await copyText(known))) notify({ text: notice });
    else if (known.includes('\n')) notify({ text: 'The browser doesn’t allow this page to copy.', tone: 'bad' });
    else notify({ text: `Copy it from here: ${known}` });
  };
}

/** Copies a text as soon as it has been read. @returns false if the browser doesn't allow it, or the text has no value */
async function copyLater(text: Promise<string>): Promise<boolean> {
  try {
    const plain = async (): Promise<Blob> => new Blob([await text], { type: 'text/plain' });
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': plain() })]);
    return true;
  } catch {
    return false;
  }
}

/** Copies a text to the clipboard. @returns false if the browser doesn't allow it */
async function copyText(text: string): Promise<boolean> {
  // `clipboard` is missing in pages served over plain HTTP from another machine; writing fails if the user denied it.
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  return isCopied || copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  const before = document.activeElement;
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
