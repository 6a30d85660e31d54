/** An error whose message is returned as the tool's answer, for the assistant to read. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
