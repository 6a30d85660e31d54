'use client';

import { Library, Postshelf } from '../readme';

const baseUrl = process.env.NEXT_PUBLIC_POSTSHELF_URL ?? '';
const token = process.env.NEXT_PUBLIC_POSTSHELF_TOKEN ?? '';

export function Shelf({ workspace }: { readonly workspace: string }) {
  return (
    <Postshelf baseUrl={baseUrl} token={token}>
      <Library baseUrl={baseUrl} token={token} workspace={workspace} />
    </Postshelf>
  );
}
