/** What a token may do (docs/api.md, "Tokens"). */
export const SCOPES = [
  'media:read',
  'media:write',
  'folders:read',
  'folders:write',
  'analytics:read',
  'analytics:write',
] as const;

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
