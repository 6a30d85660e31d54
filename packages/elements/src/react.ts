import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { ErrorDetail, PostshelfPicker, SelectDetail } from './index.ts';

export * from './index.ts';

/** The attributes of `<postshelf-picker>` in JSX. React 19 sets them as properties of the element. */
export type PickerProps = DetailedHTMLProps<HTMLAttributes<PostshelfPicker>, PostshelfPicker> &
  Partial<
    Pick<
      PostshelfPicker,
      | 'baseUrl'
      | 'workspace'
      | 'folder'
      | 'type'
      | 'multiple'
      | 'noUpload'
      | 'token'
      | 'max'
      | 'accept'
      | 'selected'
      | 'messages'
    >
  > & {
    onpick?: (event: CustomEvent<SelectDetail>) => void;
    onselect?: (event: CustomEvent<SelectDetail>) => void;
    oncancel?: (event: CustomEvent) => void;
    onerror?: (event: CustomEvent<ErrorDetail>) => void;
  };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'postshelf-picker': PickerProps;
    }
  }
}
