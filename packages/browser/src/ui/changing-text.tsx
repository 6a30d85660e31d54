/**
 * Text that changes in place. Each text gets an element of its own, because a browser that translates the page replaces
 * the text nodes; React would go on changing the old ones, and the page would keep showing the first text.
 */
export const ChangingText = ({ children }: { readonly children: string }) => <span key={children}>{children}</span>;
