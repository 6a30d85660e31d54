const numbers = new Intl.NumberFormat('en-GB');

/** "1,284": a number as people read it. */
export const numeral = (number: number): string => numbers.format(number);
