/** Returns the words of a text, which are separated by any white space. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
