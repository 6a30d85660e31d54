/** What an assistant reads as the answer of its tool. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
