// orval reads the service's address from here, because the address in the document has no host.
export const postshelf = {
  input: process.env.DOCUMENT,
  output: { target: 'generated/orval/api.ts', client: 'fetch', baseUrl: process.env.BASE },
};
