import { PostshelfPicker } from './picker/postshelf-picker.tsx';

export type { PickedItem, PickerToken, SelectDetail } from './picker/picked-item.ts';
export { PostshelfPicker };

declare global {
  interface HTMLElementTagNameMap {
    'postshelf-picker': PostshelfPicker;
  }
}

// A page may load it twice, by two of its parts.
if (!customElements.get('postshelf-picker')) customElements.define('postshelf-picker', PostshelfPicker);
