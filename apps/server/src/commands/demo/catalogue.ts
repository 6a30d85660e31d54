import type { Scene } from './scenes.ts';

/** Width and height in pixels, as usual in posts. */
export const SIZES = {
  square: [1080, 1080],
  portrait: [1080, 1350],
  story: [1080, 1920],
  wide: [1600, 1067],
  large: [2048, 1365],
} as const;

/** An item of the demo library, with its texts. */
export interface DemoItem {
  /** With an extension; `.mp4` and `.mov` are films. */
  readonly name: string;
  readonly scene: Scene;
  readonly hue: number;
  readonly size: keyof typeof SIZES;
  /** Names of folders from the top, separated by slashes; empty: no folder. */
  readonly folder: string;
  readonly label: string | null;
  readonly alt: string | null;
  readonly tags: readonly string[];
}

type Row = readonly [
  name: string,
  scene: Scene,
  hue: number,
  size: keyof typeof SIZES,
  folder: string,
  label: string | null,
  alt: string | null,
  tags: string,
];

const SUMMER = 'Campaigns/Summer';
const OPENING = 'Campaigns/Opening week';
const WINTER = 'Campaigns/Winter menu';
const PATTERNS = 'Brand/Patterns';

/** The posts of a restaurant by the sea. */
const ROWS: readonly Row[] = [
  [
    'harbour-dawn.jpg',
    'harbour',
    30,
    'portrait',
    SUMMER,
    'Dawn from the terrace',
    'Sailing boats on a calm sea as the sun comes up',
    'sea, morning',
  ],
  [
    'opening-night.mp4',
    'night',
    275,
    'story',
    OPENING,
    'Opening night',
    'The lights of the old town below a full moon',
    'reel, night',
  ],
  [
    'dish-of-the-day.jpg',
    'table',
    30,
    'square',
    'Kitchen',
    'Dish of the day',
    'A plate of roast vegetables beside a cup of coffee',
    'food, lunch',
  ],
  ['citrus-wall.png', 'citrus', 55, 'square', SUMMER, 'Citrus', 'Slices of orange in rows', 'food, summer'],
  [
    'hills-behind-town.webp',
    'hills',
    255,
    'wide',
    'Places',
    'The hills behind town',
    'Ridges of blue hills, one behind another, at dusk',
    'landscape, evening',
  ],
  [
    'azulejo-blue.png',
    'tiles',
    255,
    'square',
    PATTERNS,
    'Blue tiles',
    'Blue and white wall tiles in a repeating pattern',
    'pattern, brand',
  ],
  [
    'poster-summer.png',
    'poster',
    25,
    'portrait',
    SUMMER,
    'Poster, summer',
    'A poster of quarter circles and stripes in warm colours',
    'poster, print',
  ],
  ['garden-leaves.jpg', 'leaves', 145, 'portrait', 'Places', 'The garden', 'Green leaves from above', 'garden'],
  [
    'sailing-round-the-bay.mp4',
    'harbour',
    40,
    'wide',
    SUMMER,
    'Round the bay',
    'Boats with white and orange sails pass by',
    'reel, sea',
  ],
  ['city-lights.jpg', 'night', 262, 'wide', OPENING, 'City lights', 'Lit windows of a town at night', 'night'],
  [
    'autumn-table.jpg',
    'table',
    50,
    'wide',
    WINTER,
    'Table by the window',
    'A set table with a plate of autumn vegetables',
    'food, autumn',
  ],
  [
    'lemon-press.webp',
    'citrus',
    95,
    'portrait',
    SUMMER,
    'Lemonade, first batch',
    'Slices of lemon on a pale blue cloth',
    'food, drinks',
  ],
  [
    'terrace-at-noon.jpg',
    'harbour',
    15,
    'large',
    'Places/Harbour',
    'The view at noon',
    'The harbour from above, with boats',
    'sea',
  ],
  [
    'morning-mist.jpg',
    'hills',
    150,
    'portrait',
    'Places',
    'Mist',
    'Green hills in the mist of a morning',
    'landscape, morning',
  ],
  [
    'azulejo-terracotta.png',
    'tiles',
    35,
    'square',
    PATTERNS,
    'Terracotta tiles',
    'Red and white wall tiles in a repeating pattern',
    'pattern, brand',
  ],
  [
    'chef-at-work.mov',
    'table',
    25,
    'story',
    'Kitchen',
    'From the pass',
    'A plate is turned slowly, seen from above',
    'reel, food',
  ],
  [
    'poster-jazz-night.png',
    'poster',
    280,
    'portrait',
    OPENING,
    'Poster, jazz night',
    'A poster of circles and triangles in violet and blue',
    'poster, music',
  ],
  [
    'olive-branches.webp',
    'leaves',
    110,
    'wide',
    'Brand',
    'Olive branches',
    'Olive leaves on a pale ground',
    'garden, brand',
  ],
  ['blood-orange.jpg', 'citrus', 30, 'wide', WINTER, 'Blood oranges are in', 'Slices of blood orange', 'food, winter'],
  [
    'last-ferry.jpg',
    'harbour',
    50,
    'story',
    'Places/Harbour',
    null,
    'A sunset over the harbour, upright',
    'sea, evening',
  ],
  ['ridge-walk.mp4', 'hills', 20, 'wide', 'User videos', 'Ridge walk, sent by Inês', null, 'landscape, guests'],
  ['small-plates.jpg', 'table', 350, 'square', 'Kitchen', 'Small plates', 'Small plates on a rose table', 'food'],
  ['rooftop.jpg', 'night', 300, 'portrait', OPENING, 'Rooftop', 'Roofs under a violet sky', 'night'],
  ['fallen-leaves.jpg', 'leaves', 40, 'square', WINTER, null, 'Red and brown leaves on sand', 'autumn'],
  [
    'poster-brunch.png',
    'poster',
    85,
    'portrait',
    'Campaigns',
    'Poster, brunch',
    'A poster of geometric forms in green and yellow',
    'poster, print',
  ],
  [
    'pastel-hills.webp',
    'hills',
    330,
    'wide',
    'Places',
    'Evening',
    'Rose and violet hills under a low sun',
    'landscape, evening',
  ],
  ['limes.png', 'citrus', 135, 'square', SUMMER, 'Limes', 'Slices of lime in rows', 'food, drinks'],
  ['regatta.jpg', 'harbour', 22, 'wide', 'Places/Harbour', 'Regatta', 'Four boats in front of the far shore', 'sea'],
  [
    'winter-menu-cover.jpg',
    'table',
    250,
    'portrait',
    WINTER,
    'Cover of the winter menu',
    'A white plate on a blue table',
    'food, print',
  ],
  ['tiles-green.png', 'tiles', 155, 'wide', PATTERNS, 'Green tiles', 'Green and white tiles', 'pattern, brand'],
  ['night-market.mp4', 'night', 250, 'story', 'User videos', 'Night market', null, 'reel, night, guests'],
  ['dusty-road.jpg', 'hills', 60, 'portrait', 'Places', null, null, 'landscape'],
  ['herbs.jpg', 'leaves', 165, 'wide', 'Kitchen', 'Herbs from the yard', 'Dark green leaves', 'food, garden'],
  [
    'monogram-sheet.png',
    'poster',
    200,
    'square',
    'Brand',
    'Sheet of forms',
    'Geometric forms in blue and sand',
    'brand, print',
  ],
  ['grapefruit.webp', 'citrus', 15, 'story', SUMMER, null, 'Slices of grapefruit, upright', 'food'],
  ['quay.jpg', 'harbour', 60, 'square', 'Places/Harbour', 'On the quay', 'A bay in the last light', 'sea, evening'],
  [
    'kitchen-table.jpg',
    'table',
    80,
    'wide',
    'Kitchen',
    'Family meal',
    'A plate in the middle of a green table',
    'food, team',
  ],
  ['azulejo-ochre.png', 'tiles', 75, 'square', PATTERNS, 'Ochre tiles', 'Ochre and white tiles', 'pattern, brand'],
  ['blue-hour.jpg', 'night', 240, 'large', OPENING, 'Blue hour', 'The town just after sunset', 'night'],
  ['far-hills.jpg', 'hills', 200, 'large', 'Places', null, 'Hills in grey and blue', 'landscape'],
];

/** The number of different items. */
export const DEMO_ITEMS = ROWS.length;

/**
 * The given number of items, the one to be shown first at the beginning. Beyond {@link DEMO_ITEMS} items repeat, with
 * numbers in their names.
 */
export const demoItems = (count: number): readonly DemoItem[] =>
  Array.from({ length: count }, (_, index) => {
    const row = ROWS[index % ROWS.length] as Row;
    const [name, scene, hue, size, folder, label, alt, tags] = row;
    const round = Math.floor(index / ROWS.length);
    const named = round === 0 ? name : name.replace('.', `-${round + 1}.`);
    return { name: named, scene, hue, size, folder, label, alt, tags: tags.split(', ') };
  });

export const isVideo = ({ name }: DemoItem): boolean => /\.(?:mp4|mov)$/.test(name);
