import azulejoBlue from './pictures/azulejo-blue.webp' with { type: 'file' };
import azulejoTerracotta from './pictures/azulejo-terracotta.webp' with { type: 'file' };
import citrusWall from './pictures/citrus-wall.webp' with { type: 'file' };
import cityLights from './pictures/city-lights.webp' with { type: 'file' };
import dishOfTheDay from './pictures/dish-of-the-day.jpg' with { type: 'file' };
import fallenLeaves from './pictures/fallen-leaves.webp' with { type: 'file' };
import gardenLeaves from './pictures/garden-leaves.webp' with { type: 'file' };
import harbourDawn from './pictures/harbour-dawn.jpg' with { type: 'file' };
import hillsBehindTown from './pictures/hills-behind-town.jpg' with { type: 'file' };
import lemonPress from './pictures/lemon-press.webp' with { type: 'file' };
import morningMist from './pictures/morning-mist.jpg' with { type: 'file' };
import posterJazzNight from './pictures/poster-jazz-night.webp' with { type: 'file' };
import posterSummer from './pictures/poster-summer.webp' with { type: 'file' };
import regatta from './pictures/regatta.jpg' with { type: 'file' };
import rooftop from './pictures/rooftop.webp' with { type: 'file' };
import winterMenuCover from './pictures/winter-menu-cover.jpg' with { type: 'file' };

export const PICTURES = {
  'morning-mist.jpg': morningMist,
  'fallen-leaves.webp': fallenLeaves,
  'lemon-press.webp': lemonPress,
  'citrus-wall.webp': citrusWall,
  'azulejo-terracotta.webp': azulejoTerracotta,
  'poster-jazz-night.webp': posterJazzNight,
  'dish-of-the-day.jpg': dishOfTheDay,
  'azulejo-blue.webp': azulejoBlue,
  'poster-summer.webp': posterSummer,
  'garden-leaves.webp': gardenLeaves,
  'city-lights.webp': cityLights,
  'hills-behind-town.jpg': hillsBehindTown,
  'harbour-dawn.jpg': harbourDawn,
  'winter-menu-cover.jpg': winterMenuCover,
  'regatta.jpg': regatta,
  'rooftop.webp': rooftop,
} as const;

export type Picture = keyof typeof PICTURES;
