import type { Random } from '@postshelf/domain';

export const between = (random: Random, low: number, high: number): number => low + (high - low) * random();

export const pick = <T>(list: readonly T[], random: Random): T | undefined => list[Math.floor(random() * list.length)];
