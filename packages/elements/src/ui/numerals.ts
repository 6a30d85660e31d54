const numbers = new Intl.NumberFormat('en-GB');

/** "1,284": a number as people read it. */
export const numeral = (number: number): string => numbers.format(number);

/** "1 item", "1,284 items". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${numeral(count)} ${count === 1 ? one : many}`;
