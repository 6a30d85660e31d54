/** The words of a text, whatever white space is between them. */
export const words = (text: string): string[] => text.trim().split(/\s+/);
