/** Degrees of oklch, far from each other for successive profiles. */
const HUES = [255, 30, 150, 320, 85, 200, 350, 115] as const;

/** The hue by which the planner tells a profile from the others, by its place among them. */
export function hueOf(profile: string, profiles: readonly { readonly id: string }[]): number {
  const at = profiles.findIndex(({ id }) => id === profile);
  return HUES[Math.max(0, at) % HUES.length] ?? HUES[0];
}
