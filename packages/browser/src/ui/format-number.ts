const numbers = new Intl.NumberFormat('en-GB');

export const formatNumber = (number: number): string => numbers.format(number);

/** Returns a count with its noun: "1 item", "1,284 items". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;
