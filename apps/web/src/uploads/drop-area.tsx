import './drop-area.css';
import { filesOf, namedByTime } from '@postshelf/browser/uploads/dropped-files.ts';
import { useLayoutEffect, useState } from 'react';
import { useMay } from '../workspaces/use-may.ts';
import { useUploading } from './use-uploading.ts';

/**
 * Uploads files and folders that are dropped or pasted anywhere on the page to the open folder. Its listeners run
 * before all others of the page. Media and folders that are dragged within the page aren't files, and are ignored. For
 * those who may not upload, a dropped file is ignored, too, instead of opened in place of the page.
 */
export function DropArea({ folder }: { readonly folder: string | null }) {
  const upload = useUploading(folder);
  const mayUpload = useMay('media:write');
  const [isOver, setIsOver] = useState(false);
  // A layout effect, as without these listeners the browser opens a dropped file in place of the page.
  useLayoutEffect(() => {
    const over = (event: DragEvent): void => {
      if (!hasFiles(event.dataTransfer)) return;
      take(event);
      event.dataTransfer.dropEffect = mayUpload ? 'copy' : 'none';
      setIsOver(mayUpload);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setIsOver(false);
    };
    const drop = (event: DragEvent): void => {
      setIsOver(false);
      if (!hasFiles(event.dataTransfer)) return;
      take(event);
      if (mayUpload) upload(filesOf(event.dataTransfer));
    };
    const paste = (event: ClipboardEvent): void => {
      const { clipboardData: data, target } = event;
      if (!hasFiles(data) || !mayUpload) return;
      // If the clipboard has text and a picture of it, as from an office program, a text field takes the text.
      if (data.types.includes('text/plain') && target instanceof Element && target.closest('input, textarea')) return;
      take(event);
      const read = filesOf(data);
      upload(async () => (await read()).map((source) => namedByTime(source, new Date())));
    };
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    addEventListener('dragenter', over, options);
    addEventListener('dragover', over, options);
    addEventListener('dragleave', leave, options);
    addEventListener('drop', drop, options);
    addEventListener('paste', paste, options);
    return () => listening.abort();
  }, [upload, mayUpload]);
  return isOver && <p className="drop-area">Drop files and folders to upload them</p>;
}

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') ?? false;

function take(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
