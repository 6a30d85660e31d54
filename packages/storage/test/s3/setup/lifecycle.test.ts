import { expect, test } from 'bun:test';
import type { LifecycleRule } from '@aws-sdk/client-s3';
import { harmfulRules } from '../../../src/s3/setup/lifecycle.ts';

const WORKSPACE = '01a22c5a-8de6-7247-acf0-71d0a13e6554';
const OLD: LifecycleRule = { ID: 'old', Status: 'Enabled', Expiration: { Days: 30 } };
const COLD: LifecycleRule = { ID: 'cold', Status: 'Enabled', Transitions: [{ Days: 30, StorageClass: 'GLACIER' }] };

test.each<readonly [string, LifecycleRule, readonly string[]]>([
  ['the whole bucket', { ...OLD, Filter: { Prefix: '' } }, ['the rule old deletes media by their age']],
  ['the whole bucket, in the older style', { ...OLD, Prefix: '' }, ['the rule old deletes media by their age']],
  ['large objects', { ...OLD, Filter: { ObjectSizeGreaterThan: 9 } }, ['the rule old deletes media by their age']],
  ['a workspace', { ...OLD, Filter: { Prefix: `${WORKSPACE}/01` } }, ['the rule old deletes media by their age']],
  ['an archived bucket', COLD, ['the rule cold archives media, which then cannot be read']],
  ['a cheaper class', { ...COLD, Transitions: [{ Days: 30, StorageClass: 'STANDARD_IA' }] }, []],
  ['objects of others', { ...OLD, Filter: { Prefix: 'backups/' } }, []],
  ['objects with a tag', { ...OLD, Filter: { Tag: { Key: 'temporary', Value: 'yes' } } }, []],
  ['old versions', { ID: 'versions', Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 30 } }, []],
  ['delete markers', { ...OLD, Expiration: { ExpiredObjectDeleteMarker: true } }, []],
  ['nothing, because it is disabled', { ...OLD, Status: 'Disabled' }, []],
])('judges whether a lifecycle rule harms media: %s', (_, rule, expected) => {
  expect(harmfulRules([rule])).toEqual(expected);
});
