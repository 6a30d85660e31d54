/** The workspace's folders, "All media" on top. */
export const FolderTree = () => null;
