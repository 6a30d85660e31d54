// orval takes the address of the service from here: the document's own has no host.
export const postshelf = {
  input: process.env.DOCUMENT,
  output: { target: 'generated/orval/api.ts', client: 'fetch', baseUrl: process.env.BASE },
};
