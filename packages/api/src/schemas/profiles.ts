import { MAX_NETWORK_LENGTH, MAX_PROFILE_NAME_LENGTH } from '@postshelf/domain';
import * as v from 'valibot';
import { pageQuery } from './common.ts';
import { nameOf } from './name.ts';

export const newProfile = v.object({ name: nameOf(MAX_PROFILE_NAME_LENGTH), network: nameOf(MAX_NETWORK_LENGTH) });

export const profileQuery = v.object(pageQuery);

export const profile = v.object({ id: v.string(), name: v.string(), network: v.string() });
