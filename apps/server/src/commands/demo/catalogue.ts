import type { Picture } from './pictures.ts';

export type Scene = 'hills' | 'harbour' | 'night' | 'table' | 'citrus' | 'tiles' | 'leaves' | 'poster';

export interface DemoItem {
  readonly name: string;
  /** The image to show; a video pans over it. */
  readonly picture: Picture;
  readonly scene: Scene;
  /** Folder names from the root down, separated by slashes; empty if the item is in no folder. */
  readonly folder: string;
  readonly label: string | null;
  readonly alt: string | null;
  readonly tags: readonly string[];
}

type Row = readonly [
  name: string,
  picture: Picture,
  scene: Scene,
  folder: string,
  label: string | null,
  alt: string | null,
  tags: string,
];

const ROWS: readonly Row[] = [
  [
    'harbour-dawn.jpg',
    'harbour-dawn.jpg',
    'harbour',
    'Campaigns/Summer',
    'Dawn from the terrace',
    'Sailing boats on a calm sea as the sun comes up',
    'sea, morning',
  ],
  [
    'opening-night.mp4',
    'rooftop.webp',
    'night',
    'Campaigns/Opening week',
    'Opening night',
    'The lights of the old town below a full moon',
    'reel, night',
  ],
  [
    'dish-of-the-day.jpg',
    'dish-of-the-day.jpg',
    'table',
    'Kitchen',
    'Dish of the day',
    'A plate of roast vegetables beside a cup of coffee',
    'food, lunch',
  ],
  [
    'citrus-wall.webp',
    'citrus-wall.webp',
    'citrus',
    'Campaigns/Summer',
    'Citrus',
    'Slices of orange in rows',
    'food, summer',
  ],
  [
    'hills-behind-town.jpg',
    'hills-behind-town.jpg',
    'hills',
    'Places',
    'The hills behind town',
    'Ridges of blue hills, one behind another, at dusk',
    'landscape, evening',
  ],
  [
    'azulejo-blue.webp',
    'azulejo-blue.webp',
    'tiles',
    'Brand/Patterns',
    'Blue tiles',
    'Blue and white wall tiles in a repeating pattern',
    'pattern, brand',
  ],
  [
    'poster-summer.webp',
    'poster-summer.webp',
    'poster',
    'Campaigns/Summer',
    'Poster, summer',
    'A poster of quarter circles and stripes in warm colours',
    'poster, print',
  ],
  ['garden-leaves.webp', 'garden-leaves.webp', 'leaves', 'Places', 'The garden', 'Green leaves from above', 'garden'],
  [
    'sailing-round-the-bay.mp4',
    'regatta.jpg',
    'harbour',
    'Campaigns/Summer',
    'Round the bay',
    'Boats with white and orange sails pass by',
    'reel, sea',
  ],
  [
    'city-lights.webp',
    'city-lights.webp',
    'night',
    'Campaigns/Opening week',
    'City lights',
    'Lit windows of a town at night',
    'night',
  ],
  [
    'lemon-press.webp',
    'lemon-press.webp',
    'citrus',
    'Campaigns/Summer',
    'Lemonade, first batch',
    'Slices of lemon on a pale blue cloth',
    'food, drinks',
  ],
  [
    'morning-mist.jpg',
    'morning-mist.jpg',
    'hills',
    'Places',
    'Mist',
    'Green hills in the mist of a morning',
    'landscape, morning',
  ],
  [
    'azulejo-terracotta.webp',
    'azulejo-terracotta.webp',
    'tiles',
    'Brand/Patterns',
    'Terracotta tiles',
    'Red and white wall tiles in a repeating pattern',
    'pattern, brand',
  ],
  [
    'chef-at-work.mov',
    'dish-of-the-day.jpg',
    'table',
    'Kitchen',
    'From the pass',
    'A plate is turned slowly, seen from above',
    'reel, food',
  ],
  [
    'poster-jazz-night.webp',
    'poster-jazz-night.webp',
    'poster',
    'Campaigns/Opening week',
    'Poster, jazz night',
    'A poster of circles and triangles in violet and blue',
    'poster, music',
  ],
  [
    'ridge-walk.mp4',
    'hills-behind-town.jpg',
    'hills',
    'User videos',
    'Ridge walk, sent by Inês',
    null,
    'landscape, guests',
  ],
  ['rooftop.webp', 'rooftop.webp', 'night', 'Campaigns/Opening week', 'Rooftop', 'Roofs under a violet sky', 'night'],
  [
    'fallen-leaves.webp',
    'fallen-leaves.webp',
    'leaves',
    'Campaigns/Winter menu',
    null,
    'Red and brown leaves on sand',
    'autumn',
  ],
  ['regatta.jpg', 'regatta.jpg', 'harbour', 'Places/Harbour', 'Regatta', 'Four boats in front of the far shore', 'sea'],
  [
    'winter-menu-cover.jpg',
    'winter-menu-cover.jpg',
    'table',
    'Campaigns/Winter menu',
    'Cover of the winter menu',
    'A white plate on a blue table',
    'food, print',
  ],
];

export const DEMO_ITEMS = ROWS.length;

/**
 * Returns the items, starting with the one to be shown first. After {@link DEMO_ITEMS} items the list repeats, with
 * numbers added to the names.
 */
export const demoItems = (count: number): readonly DemoItem[] =>
  Array.from({ length: count }, (_, index) => {
    const row = ROWS[index % ROWS.length] as Row;
    const [name, picture, scene, folder, label, alt, tags] = row;
    const round = Math.floor(index / ROWS.length);
    const named = round === 0 ? name : name.replace('.', `-${round + 1}.`);
    return { name: named, picture, scene, folder, label, alt, tags: tags.split(', ') };
  });

export const isVideo = ({ name }: DemoItem): boolean => /\.(?:mp4|mov)$/.test(name);
