import type { Operations } from '@postshelf/client';

export type Person = Operations['people']['list']['output']['data'][number];
export type Role = Person['role'];

const READ = ['media:read', 'folders:read', 'analytics:read'];
const EDIT = [...READ, 'media:write', 'folders:write', 'analytics:write'];

interface RoleFacts {
  readonly label: string;
  /** Describes what people with the role can do. */
  readonly hint: string;
  /** The role's scopes, as in the service; `test/people/roles.test.ts` compares the two. */
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

/** Returns the roles that a user with these scopes may assign and remove. */
export const rolesGivenBy = (scopes: readonly string[]): readonly Role[] =>
  (Object.keys(ROLES) as Role[]).filter((role) => ROLES[role].scopes.every((scope) => scopes.includes(scope)));
