import { isEmail, MAX_EMAIL, MAX_PERSON_NAME, type Person, ROLES } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { dateTime, nameOf, showTime } from '../fields/values.ts';

const name = nameOf(MAX_PERSON_NAME, { description: 'Shown with what they upload.', examples: ['Ada Lovelace'] });

const email = v.nullable(
  v.pipe(
    documented(v.string(), {
      description:
        'Identifies the person at the first sign-in with an OpenID provider. Nothing is sent to this address.',
      format: 'email',
      maxLength: MAX_EMAIL,
      examples: ['ada@example.com'],
    }),
    v.check(isEmail, 'must be a valid email address.'),
  ),
);

const role = documented(v.picklist(ROLES), {
  description:
    '`viewer` can read. `editor` can also change media, folders and posts. `manager` can also change webhooks and people.',
});

export const newPerson = documented(v.object({ name, email: v.optional(email, null), role }), { title: 'NewPerson' });

export const personChange = documented(
  v.object({ name: v.optional(name), email: v.optional(email), role: v.optional(role) }),
  { title: 'PersonChange', description: 'Absent fields stay as they are.' },
);

const personFields = {
  id: documented(v.string(), { format: 'uuid' }),
  name: v.string(),
  email: v.nullable(v.string()),
  role,
  status: documented(v.picklist(['invited', 'active']), {
    description: '`active` once the person has signed in to this workspace.',
  }),
  expires_at: v.nullable(dateTime('Until when the unused link is valid; null if there is none.')),
  created_at: dateTime('When the person was first invited.'),
};

const example = {
  id: '019f5b0e-b1c2-7e33-9a44-5d6e7f8091a2',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'editor' as const,
  status: 'invited' as const,
  expires_at: '2026-12-04T18:30:00.000Z',
  created_at: '2026-11-27T18:30:00.000Z',
};

export const person = documented(v.object(personFields), { title: 'PersonResource', examples: [example] });

export const invitedPerson = documented(
  v.object({
    ...personFields,
    invitation: documented(v.string(), {
      description: 'A link that signs a browser in once. It is shown only in this answer.',
      format: 'uri',
    }),
  }),
  {
    title: 'InvitedPersonResource',
    examples: [
      { ...example, invitation: 'https://media.example.com/#code=pYlXx0sCoTAbkJ2nHgNfcVdKzQwR4uE5yM1tLi8aZ7o' },
    ],
  },
);

export const showPerson = (item: Person): v.InferOutput<typeof person> => ({
  id: item.id,
  name: item.name,
  email: item.email,
  role: item.role,
  status: item.status,
  expires_at: item.invitationExpiresAt === null ? null : showTime(item.invitationExpiresAt),
  created_at: showTime(item.createdAt),
});
