import { createContext } from 'react';

/**
 * Provides the function that starts a new post with the media of the given ids. The library's code doesn't depend on
 * that of posts, so the frame that contains both pages sets the function.
 */
export const NewPost = createContext<(media: readonly string[]) => void>(() => {});
