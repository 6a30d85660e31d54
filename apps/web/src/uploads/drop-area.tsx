import './drop-area.css';
import { filesOf, namedByTime } from '@postshelf/browser/uploads/dropped-files.ts';
import { useLayoutEffect, useState } from 'react';
import { useFolder } from '../folders/use-folders.ts';
import { useNotify } from '../ui/notices.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { useUploading } from './use-uploading.ts';

/** The folder to which files would be uploaded. */
interface Target {
  /** null is the library's root. */
  readonly folder: string | null;
  readonly name: string;
}

/**
 * Uploads files and folders that are dropped or pasted on the page. Those that are dropped onto a folder are uploaded
 * to that folder, and all others to the open folder. Media and folders that are dragged within the page aren't files,
 * so this component ignores them. If the user isn't allowed to upload, it discards dropped files, because the browser
 * would otherwise open them in place of the page. Its listeners capture events before the page's other listeners.
 */
export function DropArea({ folder }: { readonly folder: string | null }) {
  const upload = useUploading(folder);
  const notify = useNotify();
  const name = useFolder(folder)?.name ?? (folder === null ? 'All media' : 'this folder');
  const mayUpload = useMay('media:write');
  const [over, setOver] = useState<Target | null>(null);
  // A layout effect adds the listeners before the page is visible. Without them, the browser would open a dropped file
  // in place of the page.
  useLayoutEffect(() => {
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event.dataTransfer)) return;
      take(event);
      event.dataTransfer.dropEffect = mayUpload ? 'copy' : 'none';
      const target = targetOf(event) ?? { folder, name };
      setOver((was) => (!mayUpload ? null : was?.folder === target.folder ? was : target));
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(null);
    };
    const drop = (event: DragEvent): void => {
      setOver(null);
      if (!hasFiles(event.dataTransfer)) return;
      take(event);
      if (mayUpload) upload(filesOf(event.dataTransfer, warn), targetOf(event)?.folder);
    };
    const paste = (event: ClipboardEvent): void => {
      const { clipboardData: data, target } = event;
      if (!hasFiles(data) || !mayUpload) return;
      // Office programs put both a text and an image of the text on the clipboard. A text field gets the text.
      if (data.types.includes('text/plain') && target instanceof Element && target.closest('input, textarea')) return;
      take(event);
      const read = filesOf(data, warn);
      upload(async () => (await read()).map((source) => namedByTime(source, new Date())));
    };
    const warn = (text: string): void => void notify({ text, tone: 'bad' });
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    addEventListener('dragenter', enter, options);
    addEventListener('dragover', enter, options);
    addEventListener('dragleave', leave, options);
    addEventListener('drop', drop, options);
    addEventListener('paste', paste, options);
    return () => listening.abort();
  }, [upload, mayUpload, folder, name, notify]);
  return over && <p className="drop-area">Drop files and folders to upload them to {over.name}</p>;
}

/** Returns the folder under the pointer, if any. */
function targetOf({ target }: DragEvent): Target | null {
  const above = target instanceof Element ? target.closest<HTMLElement>('[data-drop-folder]') : null;
  const { dropFolder, dropName } = above?.dataset ?? {};
  return dropFolder === undefined ? null : { folder: dropFolder === '' ? null : dropFolder, name: dropName ?? '' };
}

const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') ?? false;

function take(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
