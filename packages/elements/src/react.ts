import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { PostshelfPicker, SelectDetail } from './index.ts';

export * from './index.ts';

/** The attributes of `<postshelf-picker>` in JSX. React 19 sets them as properties of the element. */
export type PickerProps = DetailedHTMLProps<HTMLAttributes<PostshelfPicker>, PostshelfPicker> &
  Partial<Pick<PostshelfPicker, 'baseUrl' | 'workspace' | 'folder' | 'type' | 'multiple' | 'noUpload' | 'token'>> & {
    onselect?: (event: CustomEvent<SelectDetail>) => void;
  };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'postshelf-picker': PickerProps;
    }
  }
}
