/** A score and its 90 % interval; 100 is the average. */
export interface Score {
  readonly score: number;
  readonly low: number;
  readonly high: number;
}

/** Formats a score: `about 60 % above your average`. */
export function distanceFrom100(score: number): string {
  const percent = Math.round(score - 100);
  if (percent === 0) return 'about your average';
  return `about ${Math.abs(percent)} % ${percent > 0 ? 'above' : 'below'} your average`;
}

/** Formats a score's interval: `With 90 % certainty between 10 % below and 60 % above your average.` */
export function intervalOf({ low, high }: Score): string {
  const [min, max] = [Math.round(low - 100), Math.round(high - 100)];
  const side = (percent: number): string => (percent < 0 ? 'below' : 'above');
  const from = side(min) === side(max) ? `${Math.abs(min)} %` : `${Math.abs(min)} % ${side(min)}`;
  return `With 90 % certainty between ${from} and ${Math.abs(max)} % ${side(max)} your average.`;
}
