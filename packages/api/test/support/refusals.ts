export { refusalOf } from '@postshelf/testing/contracts/refusals';

export const malformed = (message: string) => ({ code: 'malformed', message }) as const;
