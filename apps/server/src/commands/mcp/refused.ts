/** An error whose message is the answer of the tool, for the assistant to read. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
