import { PostshelfPicker } from './picker/postshelf-picker.tsx';

export type { PickerMessages } from './picker/english.ts';
export type { ErrorDetail, PickedItem, PickerToken, SelectDetail } from './picker/picked-item.ts';
export { PostshelfPicker };

declare global {
  interface HTMLElementTagNameMap {
    'postshelf-picker': PostshelfPicker;
  }
}

// A page may load this module twice, but the name can be defined only once. A server that renders pages has no
// registry.
const registry = globalThis.customElements as CustomElementRegistry | undefined;
if (registry && !registry.get('postshelf-picker')) registry.define('postshelf-picker', PostshelfPicker);
