import grid from '../media/media-grid.css?inline';
import controls from '../styles/controls.css?inline';
import tokens from '../styles/tokens.css?inline';
import uploadRow from '../uploads/upload-row.css?inline';
import picker from './picker.css?inline';

let sheet: CSSStyleSheet | null = null;

/** The style sheet that all pickers share. As a constructed sheet it isn't subject to a content security policy. */
export function pickerStyles(): CSSStyleSheet {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync([tokens, controls, grid, uploadRow, picker].join('\n'));
  }
  return sheet;
}
