import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { FolderPicker } from '../../folders/folder-picker.tsx';
import { sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { afterDeleting } from '../undo-days.ts';
import { readTags } from './tags.ts';
import { useBulk } from './use-bulk.ts';
import type { useSelection } from './use-selection.ts';

const AltTextDialog = lazyDialog(async () => (await import('./alt-text-dialog.tsx')).AltTextDialog);

export type Task = 'move' | 'tag' | 'alt-text' | 'delete';

interface SelectionDialogProps {
  readonly task: Task;
  /** Describes the selected items: "3 items". */
  readonly what: string;
  readonly selection: ReturnType<typeof useSelection>;
  onClose(): void;
}

/** Asks for the details of a change to the selected items, and starts it. */
export function SelectionDialog(props: SelectionDialogProps) {
  const { task, what, onClose } = props;
  if (task === 'alt-text') {
    return <WithItems {...props}>{(items) => <AltTextDialog what={what} items={items} onClose={onClose} />}</WithItems>;
  }
  return <ChangeDialog {...props} task={task} />;
}

interface WithItemsProps extends SelectionDialogProps {
  children(items: readonly MediaItem[]): ReactNode;
}

/** Reads the selected items before a dialog about them is opened. */
function WithItems({ selection, onClose, children }: WithItemsProps) {
  const [items, setItems] = useState<readonly MediaItem[] | null>(null);
  const notify = useNotify();
  const read = useStableCallback(() => {
    selection.read().then(setItems, (error: unknown) => {
      notify({ text: sentenceOf(error), tone: 'bad' });
      onClose();
    });
  });
  useEffect(read, [read]);
  return items && children(items);
}

interface ChangeDialogProps extends SelectionDialogProps {
  readonly task: 'move' | 'tag' | 'delete';
}

function ChangeDialog({ task, what, selection, onClose }: ChangeDialogProps) {
  const bulk = useBulk();
  const notify = useNotify();
  const begin = async (change: (items: readonly MediaItem[]) => Promise<readonly MediaItem[]>): Promise<void> => {
    onClose();
    try {
      const items = await selection.read();
      // From here on, the selection is exactly these items, even if it was "all". Other users may add more items.
      selection.set(items);
      const done = await change(items);
      // Refused items stay selected. So do tagged items, because users often add more tags to them.
      if (task === 'tag') selection.update(done);
      else selection.remove(done);
    } catch (error) {
      notify({ text: sentenceOf(error), tone: 'bad' });
    }
  };
  if (task === 'move') {
    return (
      <FolderPicker
        title={`Move ${what}`}
        action="Move"
        onClose={onClose}
        onPick={(folder, name) => void begin((items) => bulk.move(items, folder, name))}
      />
    );
  }
  if (task === 'tag') {
    return (
      <Tag
        what={what}
        onClose={onClose}
        onTag={(tags) => void begin((items) => bulk.tag(items, tags))}
        onUntag={(tags) => void begin((items) => bulk.untag(items, tags))}
      />
    );
  }
  return (
    <Dialog title={`Delete ${what}?`} role="alertdialog" isOpen onClose={onClose}>
      <p>Their links stop working immediately. {afterDeleting('them')} Items used by a post are kept.</p>
      <DialogActions>
        <CancelButton onPress={onClose} />
        <Button variant="danger" onPress={() => void begin((items) => bulk.delete(items))}>
          Delete
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface TagProps {
  readonly what: string;
  onTag(tags: readonly string[]): void;
  onUntag(tags: readonly string[]): void;
  onClose(): void;
}

function Tag({ what, onTag, onUntag, onClose }: TagProps) {
  const [typed, setTyped] = useState('');
  const tags = readTags(typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (tags.length > 0) onTag(tags);
  };
  return (
    <Dialog title={`Tag ${what}`} isOpen onClose={onClose}>
      <form onSubmit={submit}>
        <TextField
          label="Tags"
          description="Separate tags with commas."
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          autoFocus
        />
        <DialogActions>
          <CancelButton onPress={onClose} />
          <Button isDisabled={tags.length === 0} onPress={() => onUntag(tags)}>
            Remove
          </Button>
          <ConfirmButton type="submit" reason={tags.length === 0 ? 'Enter a tag.' : null}>
            Add
          </ConfirmButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
