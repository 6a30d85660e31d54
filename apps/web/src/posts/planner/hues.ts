/** Hues in oklch degrees, far apart for successive profiles. */
const HUES = [255, 30, 150, 320, 85, 200, 350, 115] as const;

/** Returns the hue that distinguishes a profile in the planner, by its position among the profiles. */
export function hueOf(profile: string, profiles: readonly { readonly id: string }[]): number {
  const at = profiles.findIndex(({ id }) => id === profile);
  return HUES[Math.max(0, at) % HUES.length] ?? HUES[0];
}
