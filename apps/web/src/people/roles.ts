import type { Operations } from '@postshelf/client';

export type Person = Operations['people']['list']['output']['data'][number];
export type Role = Person['role'];

const READ = ['media:read', 'folders:read', 'analytics:read'];
const EDIT = [...READ, 'media:write', 'folders:write', 'analytics:write'];

interface RoleFacts {
  readonly label: string;
  /** What somebody with the role does. */
  readonly hint: string;
  /** As the service has them; `test/people/roles.test.ts` compares the two. */
  readonly scopes: readonly string[];
}

export const ROLES: Readonly<Record<Role, RoleFacts>> = {
  viewer: { label: 'Viewer', hint: 'Can view media, posts and best times.', scopes: READ },
  editor: { label: 'Editor', hint: 'Can also upload, change and delete media, folders and posts.', scopes: EDIT },
  manager: {
    label: 'Manager',
    hint: 'Can also invite and remove people, and manage webhooks.',
    scopes: [...EDIT, 'webhooks:read', 'webhooks:write', 'people:read', 'people:write'],
  },
};

/** The roles that a caller with these scopes may give and take. */
export const rolesGivenBy = (scopes: readonly string[]): readonly Role[] =>
  (Object.keys(ROLES) as Role[]).filter((role) => ROLES[role].scopes.every((scope) => scopes.includes(scope)));
