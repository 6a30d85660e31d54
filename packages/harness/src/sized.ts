/** See docs/testing.md. */
const isLong = process.env.POSTSHELF_TEST_LONG === '1';

/** Returns the size that applies: that of the ordinary or of the long form of a test. */
export const sized = <T>(ordinary: T, long: T): T => (isLong ? long : ordinary);
