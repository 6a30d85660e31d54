/**
 * Runs a check for every row of a table within one test, which may share what is slow to open, and says which row failed.
 *
 * @param rows a title and what is checked
 */
export async function eachRow<Value>(
  rows: readonly (readonly [title: string, value: Value])[],
  check: (value: Value) => Promise<void>,
): Promise<void> {
  for (const [title, value] of rows) {
    try {
      await check(value);
    } catch (error) {
      throw new Error(`${title}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
}
