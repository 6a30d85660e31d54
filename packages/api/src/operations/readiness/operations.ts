import { readinessOfItem, readinessOfSet, setErrors } from '@postshelf/application';
import { shownLimitOf, TARGETS } from '@postshelf/domain';
import { publishedAtOf } from '../fields/published-at.ts';
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
      'Lists every target that media can be checked for, with its rules, their sources, and when each source was last checked. Not paginated.',
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
      'Checks whether each target would accept a post with only this item, and lists every problem. Properties that aren’t known cause only warnings. With `include=link`, also checks whether the network could fetch the file by its link.',
    tag,
    tool: 'readiness_item',
    scope: 'media:read',
    status: 200,
    extension: true,
    statuses: { 422: 'On `targets`: an unknown name. On `media_content`: the item isn’t `active`.' },
    within: oneMedia,
    input: readinessQuery,
    output: readinessList,
    async run({ service, within: { item }, input }) {
      const request = { targets: targetsNamed(input.targets), links: input.include ? service.links : null };
      return { data: showReadiness(await readinessOfItem(service.ports, item, request)) };
    },
  }),

  set: operation({
    method: 'POST',
    path: '/workspaces/{workspace}/readiness',
    summary: 'Check a set of media for networks',
    description:
      'Checks whether each target would accept these media together as one post, and lists every problem. With `published_at` and `profile`, also counts the posts of that profile in the busiest 24 hours around that time. Nothing is stored.',
    tag,
    tool: 'readiness_set',
    scope: 'media:read',
    status: 200,
    extension: true,
    onlyReads: true,
    inQuery: ['include'],
    within: inWorkspace,
    input: readinessRequest,
    output: readinessList,
    checkAlso: ({ service, within: workspace }, raw) => setErrors(service.ports, workspace.id, raw),
    async run({ service, within: workspace, input }) {
      const { overrides, published_at, profile: profileId = null } = input;
      const request = {
        targets: targetsNamed(input.targets),
        links: input.include ? service.links : null,
        publishedAt: published_at ? publishedAtOf(published_at, workspace) : null,
        profileId,
        ...(overrides && { overrides }),
      };
      const found = await readinessOfSet(service.ports, workspace.id, input.media_content_ids, request);
      return { data: showReadiness(found) };
    },
  }),
};
