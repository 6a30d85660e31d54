// Writes docs/networks.md from the rules of packages/domain/src/readiness. With --stale it only lists the rules that
// haven't been checked for a year: check each at its source, then change its limit or its date.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { networksDocument, staleRules } from '../packages/domain/src/index.ts';

const { values } = parseArgs({ options: { stale: { type: 'boolean' } } });

if (values.stale) {
  const rules = staleRules(Date.now());
  for (const { id, checkedOn, source } of rules) console.log(`${checkedOn}  ${id}  ${source.address}`);
  console.log(`${rules.length} rules were last checked more than a year ago.`);
} else {
  writeFileSync(join(import.meta.dirname, '../docs/networks.md'), networksDocument());
}
