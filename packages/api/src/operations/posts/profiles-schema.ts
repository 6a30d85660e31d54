import { MAX_NETWORK_LENGTH, MAX_PROFILE_NAME_LENGTH } from '@postshelf/domain';
import * as v from 'valibot';
import { pageQuery } from '../fields/common.ts';
import { documented } from '../fields/documented.ts';
import { nameOf } from '../fields/name.ts';

export const newProfile = documented(
  v.object({
    name: nameOf(MAX_PROFILE_NAME_LENGTH, { examples: ['Beach club'] }),
    network: nameOf(MAX_NETWORK_LENGTH, { description: 'What you call the network.', examples: ['instagram'] }),
  }),
  { title: 'NewProfile' },
);

export const profileQuery = v.object(pageQuery);

export const profile = documented(
  v.object({ id: documented(v.string(), { format: 'uuid' }), name: v.string(), network: v.string() }),
  {
    title: 'ProfileResource',
    description: 'An account on a network, whose posts are measured against each other.',
    examples: [{ id: '019f5b0e-7a10-7c55-8a31-4b7e9d2f6c80', name: 'Beach club', network: 'instagram' }],
  },
);
