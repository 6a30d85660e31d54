import { createContext } from 'react';

/**
 * Starts a new post with the media that have these ids. The library doesn't know about posts, so the frame around both
 * provides the function.
 */
export const NewPost = createContext<(media: readonly string[]) => void>(() => {});
