import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { checkPlacement, MAX_FOLDER_DEPTH } from '../../src/index.ts';
import { uuid } from '../support/arbitraries.ts';

type Tree = ReadonlyMap<number, number | null>;

/** Returns the id of a folder. The model's folders are numbers, because a UUID says nothing in a counterexample. */
const idOf = (folder: number) => uuid(`00000000-0000-7000-8000-${String(folder).padStart(12, '0')}`);

/** Returns the folders from this one up to the root, this one first; null if they form a cycle. */
function wayUp(tree: Tree, folder: number | null): number[] | null {
  const way: number[] = [];
  for (let at = folder; at !== null; at = tree.get(at) ?? null) {
    if (way.includes(at)) return null;
    way.push(at);
  }
  return way;
}

const heightOf = (tree: Tree, folder: number): number => {
  const children = [...tree].filter(([, parent]) => parent === folder);
  return 1 + Math.max(0, ...children.map(([child]) => heightOf(tree, child)));
};

/**
 * Returns the rule that a tree breaks: a folder is within itself, or deeper than folders may be. Returns null if the
 * tree breaks neither.
 */
const brokenRule = (tree: Tree): 'cycle' | 'too_deep' | null => {
  const ways = [...tree.keys()].map((folder) => wayUp(tree, folder));
  if (ways.includes(null)) return 'cycle';
  return ways.some((way) => (way?.length ?? 0) > MAX_FOLDER_DEPTH) ? 'too_deep' : null;
};

/** Generates a pick: any folder of the tree by number, or the newest folder, which yields deep trees. */
const anyPick = fc.oneof(
  { weight: 3, arbitrary: fc.constant<'last'>('last') },
  { weight: 3, arbitrary: fc.nat({ max: 40 }) },
  { weight: 1, arbitrary: fc.constant(null) },
);
type Pick = 'last' | number | null;

const pick = (tree: Tree, which: Pick): number | null => {
  if (which === null || tree.size === 0) return null;
  return which === 'last' ? tree.size - 1 : which % tree.size;
};

const anyStep = fc.record({ create: fc.boolean(), folder: fc.nat({ max: 40 }), parent: anyPick });

test('a placement is allowed exactly if the resulting tree satisfies the rules', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 20, maxLength: 80 }), (steps) => {
      let tree: Tree = new Map();
      for (const step of steps) {
        const create = step.create || tree.size === 0;
        const folder = create ? tree.size : step.folder % tree.size;
        const parent = pick(tree, step.parent);
        const refusal = checkPlacement({
          folder: create ? null : idOf(folder),
          ancestors: (wayUp(tree, parent) ?? []).map(idOf),
          height: create ? 1 : heightOf(tree, folder),
        });
        const after = new Map(tree).set(folder, parent);
        expect(refusal).toBe(brokenRule(after));
        if (refusal === null) tree = after;
      }
    }),
    { numRuns: 150 },
  );
});
