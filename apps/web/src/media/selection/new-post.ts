import { createContext } from 'react';

/** Begins a post with media, by their ids. Posts are beyond the library, so whoever shows both provides it. */
export const NewPost = createContext<(media: readonly string[]) => void>(() => {});
