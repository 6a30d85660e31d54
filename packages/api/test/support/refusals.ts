export { refusalOf } from '@postshelf/testing';

export const malformed = (message: string) => ({ code: 'malformed', message }) as const;
