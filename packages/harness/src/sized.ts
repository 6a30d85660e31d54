/** docs/testing.md */
const isLong = process.env.POSTSHELF_TEST_LONG === '1';

/** What a test takes in its ordinary form, and in its long one. */
export const sized = <T>(ordinary: T, long: T): T => (isLong ? long : ordinary);
