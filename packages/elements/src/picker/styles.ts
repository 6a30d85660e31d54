import grid from '@postshelf/browser/media/media-grid.css?inline';
import controls from '@postshelf/browser/styles/controls.css?inline';
import tokens from '@postshelf/browser/styles/tokens.css?inline';
import uploadRow from '@postshelf/browser/uploads/upload-row.css?inline';
import picker from './picker.css?inline';

let sheet: CSSStyleSheet | null = null;

/**
 * Returns the style sheet that all pickers share. A content security policy doesn't apply to it, because it is a
 * constructed sheet.
 */
export function pickerStyles(): CSSStyleSheet {
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync([tokens, controls, grid, uploadRow, picker].join('\n'));
  }
  return sheet;
}
