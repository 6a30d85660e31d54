import { createContext } from 'react';

/**
 * Provides the function that starts a new post with the given media ids. The library's code doesn't depend on the code
 * for posts, so the frame that contains both pages sets the function.
 */
export const NewPost = createContext<(media: readonly string[]) => void>(() => {});
