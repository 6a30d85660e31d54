/** See docs/testing.md. */
const isLong = process.env.POSTSHELF_TEST_LONG === '1';

/** Returns the size to test with: `long` in long test runs, otherwise `ordinary`. */
export const sized = <T>(ordinary: T, long: T): T => (isLong ? long : ordinary);
