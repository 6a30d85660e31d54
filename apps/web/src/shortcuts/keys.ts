/** The label of the control key, which is ⌘ on Apple devices. */
const CONTROL = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';

interface Keys {
  readonly where: string;
  /** Combinations of keys, each with its effect. */
  readonly keys: readonly (readonly [keys: readonly string[], does: string])[];
}

/** All keyboard shortcuts, grouped by where they work. */
export const KEYS: readonly Keys[] = [
  {
    where: 'Everywhere',
    keys: [
      [['/'], 'Search media'],
      [[CONTROL, 'K'], 'Find a command or a folder'],
      [[CONTROL, 'Z'], 'Undo the last change'],
      [['?'], 'Show these keys'],
    ],
  },
  {
    where: 'In the library',
    keys: [
      [['Enter'], 'Open'],
      [['Space'], 'Select'],
      [['Shift', '→'], 'Select more'],
      [[CONTROL, 'A'], 'Select all'],
      [['F2'], 'Rename an item or a folder'],
      [['Delete'], 'Delete what is selected'],
      [['Esc'], 'Clear the selection'],
    ],
  },
  {
    where: 'In the planner',
    keys: [
      [['Alt', '←'], 'Move a planned post to the day before'],
      [['Alt', '→'], 'Move it to the day after'],
      [['Alt', '↑'], 'Move it a quarter of an hour earlier'],
      [['Alt', '↓'], 'Move it a quarter of an hour later'],
    ],
  },
  {
    where: 'In an open item',
    keys: [
      [['←'], 'Previous'],
      [['→'], 'Next'],
      [['+'], 'Zoom in'],
      [['−'], 'Zoom out'],
      [['I'], 'Details'],
      [['F2'], 'Rename'],
      [['Space'], 'Play or pause a video'],
      [[','], 'Previous frame'],
      [['.'], 'Next frame'],
      [['Esc'], 'Close'],
    ],
  },
];
