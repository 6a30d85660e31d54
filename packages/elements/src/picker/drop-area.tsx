import { filesOf, namedByTime } from '@postshelf/browser/uploads/dropped-files.ts';
import type { FileSource } from '@postshelf/browser/uploads/upload.ts';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useWords } from './words.ts';

export interface DropAreaProps {
  /** Called with a function that reads the files; null if files can't be uploaded. */
  readonly onDropped: ((read: () => Promise<readonly FileSource[]>) => void) | null;
  /** Called with a message if some files can't be read; the others are uploaded. */
  onUnreadable(message: string): void;
  /** Called for Escape, unless an element inside has handled it. */
  onEscape(): void;
  readonly children: ReactNode;
}

/** Accepts files that are dropped on the picker, or pasted while the focus is in it. */
export function DropArea({ onDropped, onUnreadable, onEscape, children }: DropAreaProps) {
  const words = useWords();
  const onKeyDown = (event: KeyboardEvent): void => {
    const hasText = event.target instanceof HTMLInputElement && event.target.value !== '';
    if (event.key === 'Escape' && !event.defaultPrevented && !hasText) onEscape();
  };
  const [isOver, setIsOver] = useState(false);
  const area = useRef<HTMLElement>(null);
  if (!onDropped)
    return (
      <section aria-label={words.library} className="picker" onKeyDown={onKeyDown}>
        {children}
      </section>
    );
  const over = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    setIsOver(true);
  };
  const drop = (event: DragEvent): void => {
    setIsOver(false);
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    onDropped(filesOf(event.dataTransfer, onUnreadable));
  };
  const paste = (event: ClipboardEvent): void => {
    if (!hasFiles(event.clipboardData)) return;
    // If the clipboard has both a text and an image of it, as office programs provide, an input field gets the text.
    const isField = event.target instanceof Element && event.target.closest('input') !== null;
    if (isField && event.clipboardData.types.includes('text/plain')) return;
    event.preventDefault();
    const read = filesOf(event.clipboardData, onUnreadable);
    onDropped(async () => (await read()).map((source) => namedByTime(source, new Date())));
  };
  return (
    <section
      ref={area}
      aria-label={words.library}
      className="picker"
      onKeyDown={onKeyDown}
      onDragEnter={over}
      onDragOver={over}
      onDragLeave={({ relatedTarget }) => {
        if (!(relatedTarget instanceof Node && area.current?.contains(relatedTarget))) setIsOver(false);
      }}
      onDrop={drop}
      onPaste={paste}
    >
      {children}
      {isOver && <p className="picker-drop">{words.drop}</p>}
    </section>
  );
}

const hasFiles = (data: DataTransfer): boolean => data.types.includes('Files');
