/** See docs/testing.md. */
const isLong = process.env.POSTSHELF_TEST_LONG === '1';

/** Returns the size of a test in its ordinary form or in its long one. */
export const sized = <T>(ordinary: T, long: T): T => (isLong ? long : ordinary);
