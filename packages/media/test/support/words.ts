/** The words of a text, separated by any white space. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
