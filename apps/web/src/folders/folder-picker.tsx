import { useState } from 'react';
import { sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ALL } from './folder-rows.ts';
import { TreeList } from './tree-list.tsx';
import { useExpanded } from './use-expanded.ts';
import { useFolderRows } from './use-folders.ts';

const TOP = 'Top of the library';

interface FolderPickerProps {
  readonly title: string;
  /** The label of its button. */
  readonly action: string;
  /** The current folder, which can't be chosen; absent if there are several. */
  readonly from?: string | null;
  /** A folder that can't be chosen. */
  readonly without?: string;
  /** null is the library's root. */
  onPick(folder: string | null, name: string): void;
  onClose(): void;
}

/** Asks for a folder. */
export function FolderPicker({ title, action, from, without, onPick, onClose }: FolderPickerProps) {
  const [chosen, setChosen] = useState<string | null | undefined>(undefined);
  const { expanded, toggle } = useExpanded(null);
  const { rows, note, error } = useFolderRows(expanded, TOP);
  const canPick = chosen !== undefined && chosen !== from && chosen !== without;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {error && <p role="alert">{sentenceOf(error)}</p>}
      <div className="folder-picker">
        <TreeList label="To folder" rows={rows} current={chosen} onOpen={setChosen} onToggle={toggle} />
      </div>
      {note && <p className="folders-note">{note}</p>}
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button
          variant="primary"
          isDisabled={!canPick}
          onPress={() => chosen !== undefined && onPick(chosen, rows.nameAt(rows.indexOf(chosen ?? ALL)))}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
