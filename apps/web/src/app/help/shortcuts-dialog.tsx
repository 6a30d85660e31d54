import './shortcuts.css';
import { KEYS } from '../../shortcuts/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

/** Lists the keyboard shortcuts. */
export const ShortcutsDialog = ({ onClose }: { onClose(): void }) => (
  <Dialog title="Keyboard shortcuts" isOpen isWide onClose={onClose}>
    <div className="shortcuts">
      {KEYS.map(({ where, keys }) => (
        <section key={where}>
          <h3>{where}</h3>
          <dl>
            {keys.map(([together, does]) => (
              <div key={together.join()}>
                <dt>
                  {together.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
    <DialogActions>
      <Button onPress={onClose}>Close</Button>
    </DialogActions>
  </Dialog>
);
