/**
 * Runs a check for every row of a table within one test, so that the rows can share resources that are slow to open.
 * The error names the row that failed.
 *
 * @param rows titles and values
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
