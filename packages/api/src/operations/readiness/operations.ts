import { candidateErrors, readinessOfItem, readinessOfSet } from '@postshelf/application';
import { shownLimitOf, TARGETS } from '@postshelf/domain';
import { oneMedia } from '../media/operations.ts';
import { inWorkspace, operation } from '../operation.ts';
import {
  copied,
  networkList,
  readinessList,
  readinessQuery,
  readinessRequest,
  showReadiness,
  targetsNamed,
} from './schema.ts';

const tag = 'Readiness';

const NETWORKS = {
  data: TARGETS.map(({ target, rules }) => ({
    target,
    rules: rules.map((rule) => ({
      rule: rule.id,
      severity: rule.severity,
      limit: copied(shownLimitOf(rule)),
      unit: rule.unit,
      source: rule.source.address,
      checked_on: rule.checkedOn,
    })),
  })),
};

export const networks = {
  list: operation({
    method: 'GET',
    path: '/networks',
    summary: 'List networks and their rules',
    description:
      'Every target that media can be checked for, with what it asks for, who says so, and when that was looked up. Not paginated.',
    tag,
    scope: null,
    status: 200,
    isConstant: true,
    extension: true,
    output: networkList,
    run: async () => NETWORKS,
  }),
};

export const readiness = {
  item: operation({
    method: 'GET',
    path: '/media_contents/{id}/readiness',
    summary: 'Check a media item for networks',
    description:
      'Whether the item alone would be taken as a post, on each target, and every problem with it. What isn’t known of it is a warning.',
    tag,
    scope: 'media:read',
    status: 200,
    extension: true,
    statuses: { 422: 'On `targets`: a name that is none. On `media_content`: the item isn’t `active`.' },
    within: oneMedia,
    input: readinessQuery,
    output: readinessList,
    run: async ({ within: { item }, input }) => ({
      data: showReadiness(await readinessOfItem(item, targetsNamed(input.targets))),
    }),
  }),

  set: operation({
    method: 'POST',
    path: '/workspaces/{workspace}/readiness',
    summary: 'Check a set of media for networks',
    description:
      'Whether these media would be taken together as one post, on each target, and every problem with them. Nothing is kept.',
    tag,
    scope: 'media:read',
    status: 200,
    extension: true,
    onlyReads: true,
    within: inWorkspace,
    input: readinessRequest,
    output: readinessList,
    checkAlso: ({ service, within: workspace }, { media_content_ids }) =>
      candidateErrors(service.ports, workspace.id, media_content_ids),
    async run({ service, within: workspace, input }) {
      const targets = targetsNamed(input.targets);
      const limits = input.overrides ?? new Map();
      const found = await readinessOfSet(service.ports, workspace.id, input.media_content_ids, targets, limits);
      return { data: showReadiness(found) };
    },
  }),
};
