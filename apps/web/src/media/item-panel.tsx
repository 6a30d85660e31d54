/** An item beside the library: `complementary`, named by it. */
export const ItemPanel = ({ id }: { readonly id: string }) => <aside aria-label={id} />;
