import { createContext } from 'react';

/**
 * Starts a new post with media, by their ids. The library doesn't know posts, so the frame around both provides the
 * function.
 */
export const NewPost = createContext<(media: readonly string[]) => void>(() => {});
