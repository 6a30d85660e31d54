// orval takes the service's address from here, as the document's has no host.
export const postshelf = {
  input: process.env.DOCUMENT,
  output: { target: 'generated/orval/api.ts', client: 'fetch', baseUrl: process.env.BASE },
};
