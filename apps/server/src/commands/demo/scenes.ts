import { type Box, type Canvas, type Colour, mix, oklch } from './canvas.ts';
import { between, type Random } from './random.ts';

/** Paints a scene. @param hue of the main colour in degrees, from which the others are derived */
type Painter = (canvas: Canvas, hue: number, random: Random) => void;

const around = (x: number, y: number, reach: number): Box => ({
  left: x - reach,
  right: x + reach,
  top: y - reach,
  bottom: y + reach,
});

/** A hilly line: a sum of waves of several lengths, from -1 to 1. */
function waves(random: Random, length: number): (x: number) => number {
  const parts = [1, 0.5, 0.26, 0.13].map((size, index) => ({
    size: size / 1.89,
    turn: (2 * Math.PI * (1.9 ** index * between(random, 0.8, 1.2))) / length,
    start: between(random, 0, 2 * Math.PI),
  }));
  return (x) => parts.reduce((sum, { size, turn, start }) => sum + size * Math.sin(x * turn + start), 0);
}

function sun(canvas: Canvas, x: number, y: number, radius: number, colour: Colour): void {
  canvas.disc(x, y, radius * 3.6, colour, { soft: radius * 5, alpha: 0.55 });
  canvas.disc(x, y, radius, colour);
}

const hills: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  canvas.fade(oklch(0.86, 0.07, hue + 150), oklch(0.95, 0.05, hue + 60));
  sun(canvas, width * between(random, 0.25, 0.75), height * 0.32, unit * 0.08, oklch(0.97, 0.05, hue + 70));
  const ridges = 6;
  for (let ridge = 0; ridge < ridges; ridge++) {
    const depth = ridge / (ridges - 1);
    const line = waves(random, width * between(random, 0.7, 1.3));
    const middle = height * (0.38 + 0.52 * depth);
    const top = mix(oklch(0.84, 0.05, hue + 90), oklch(0.36, 0.08, hue), depth);
    canvas.below(
      (x) => middle - line(x) * height * 0.09,
      top,
      mix(top, oklch(0.93, 0.04, hue + 60), 0.35 * (1 - depth)),
    );
  }
};

const harbour: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  const horizon = height * 0.56;
  const light = oklch(0.95, 0.08, hue + 40);
  canvas.fade(oklch(0.62, 0.11, hue + 200), oklch(0.9, 0.08, hue + 20), { bottom: horizon });
  const middle = width * between(random, 0.35, 0.65);
  sun(canvas, middle, horizon - unit * 0.1, unit * 0.075, light);
  const coast = waves(random, width);
  canvas.below(
    (x) => horizon - unit * (0.035 + 0.03 * coast(x)),
    oklch(0.5, 0.07, hue + 210),
    oklch(0.45, 0.07, hue + 210),
  );
  canvas.fade(oklch(0.72, 0.09, hue + 190), oklch(0.34, 0.09, hue + 215), { top: horizon });
  for (let streak = 0; streak < 70; streak++) {
    const down = random() ** 1.6;
    const y = horizon + (height - horizon) * down;
    const spread = unit * (0.05 + 0.2 * down);
    canvas.disc(middle + between(random, -spread, spread), y, unit * between(random, 0.02, 0.07), light, {
      high: 0.05,
      alpha: 0.6 * (1 - down * 0.6),
      soft: 2,
    });
  }
  for (let boat = 0; boat < 4; boat++) {
    const x = width * between(random, 0.08, 0.92);
    const y = horizon + (height - horizon) * between(random, 0.12, 0.5);
    const size = unit * (0.05 + (0.16 * (y - horizon)) / (height - horizon));
    const sail = boat % 2 === 0 ? oklch(0.97, 0.02, hue) : oklch(0.66, 0.16, hue);
    canvas.paint((at, row) => Math.min((row - y + size * 1.9) * 0.5 - Math.abs(at - x) * 1.2, y - row), sail, {
      ...around(x, y, size),
      top: y - size * 2,
    });
    canvas.disc(x, y, size * 0.75, oklch(0.3, 0.05, hue + 210), { high: 0.2 });
  }
};

const night: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  canvas.fade(oklch(0.2, 0.06, hue + 30), oklch(0.5, 0.13, hue));
  for (let star = 0; star < 140; star++)
    canvas.disc(
      random() * width,
      random() ** 1.5 * height * 0.7,
      between(random, 0.4, 1.5),
      oklch(0.96, 0.03, hue + 120),
      { alpha: random() },
    );
  sun(canvas, width * between(random, 0.2, 0.8), height * 0.22, unit * 0.07, oklch(0.95, 0.04, hue + 140));
  const lamp = oklch(0.86, 0.12, 85);
  for (const [row, light] of [
    [0, 0.36],
    [1, 0.26],
    [2, 0.17],
  ] as const) {
    for (let x = -unit * 0.1; x < width; ) {
      const wide = unit * between(random, 0.09, 0.19);
      const top = height * (0.5 + row * 0.12 + between(random, -0.1, 0.1));
      canvas.paint(() => 1, oklch(light, 0.06, hue + 20), { left: x, right: x + wide, top });
      const pane = unit * 0.018;
      for (let y = top + pane; y < height - pane; y += pane * 2.1)
        for (let left = x + pane; left < x + wide - pane * 1.5; left += pane * 1.9)
          if (random() < 0.36 - row * 0.05)
            canvas.paint(() => 0.85, lamp, { left, right: left + pane, top: y, bottom: y + pane * 1.2 });
      x += wide + unit * 0.006;
    }
  }
};

/** Paints an object on a table, seen from above, with its shadow. */
function plate(
  canvas: Canvas,
  x: number,
  y: number,
  radius: number,
  rings: readonly (readonly [number, Colour])[],
): void {
  canvas.disc(x + radius * 0.07, y + radius * 0.12, radius * 1.05, oklch(0.2, 0.02, 60), {
    soft: radius * 0.35,
    alpha: 0.4,
  });
  for (const [share, colour] of rings) canvas.disc(x, y, radius * share, colour);
}

/** Hues of the food relative to a dish's main hue, in degrees. */
const FOOD = [0, 20, 70, 90, -30];

const table: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  canvas.fade(oklch(0.88, 0.04, hue), oklch(0.78, 0.06, hue + 10));
  const board = waves(random, height * 0.3);
  for (let x = 0; x < width; x += unit * 0.21)
    canvas.paint((at, y) => 1 - Math.abs(at - x - board(y) * 2) / 1.5, oklch(0.62, 0.06, hue), {
      left: x - 5,
      right: x + 5,
    });
  const white = oklch(0.97, 0.01, 90);
  const rim = oklch(0.9, 0.02, 90);
  const [x, y] = [width * between(random, 0.38, 0.5), height * between(random, 0.44, 0.55)];
  const radius = unit * 0.33;
  plate(canvas, x, y, radius, [
    [1, white],
    [0.82, rim],
    [0.8, white],
  ]);
  for (let bite = 0; bite < 26; bite++) {
    const [turn, far] = [random() * 2 * Math.PI, radius * 0.62 * Math.sqrt(random())];
    const colour = oklch(between(random, 0.55, 0.82), 0.15, hue + (FOOD[bite % FOOD.length] ?? 0));
    canvas.disc(x + Math.cos(turn) * far, y + Math.sin(turn) * far, radius * between(random, 0.06, 0.17), colour, {
      soft: 2.5,
    });
  }
  const coffee = oklch(0.42, 0.07, 55);
  plate(canvas, width * 0.82, height * 0.2, unit * 0.14, [
    [1, white],
    [0.96, rim],
    [0.62, white],
    [0.52, coffee],
    [0.3, mix(coffee, white, 0.35)],
  ]);
  plate(canvas, width * 0.86, height * 0.8, unit * 0.1, [
    [1, oklch(0.6, 0.12, hue + 140)],
    [0.82, oklch(0.9, 0.09, hue + 50)],
  ]);
};

const citrus: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  canvas.fade(oklch(0.93, 0.05, hue + 120), oklch(0.86, 0.08, hue + 140));
  const size = unit * 0.19;
  let row = 0;
  for (let y = 0; y < height + size; y += size * 1.75, row++) {
    for (let x = row % 2 === 0 ? 0 : size * 1.05; x < width + size; x += size * 2.1) {
      const [turn, own] = [random() * Math.PI, hue + between(random, -16, 22)];
      plate(canvas, x, y, size * 0.9, [
        [1, oklch(0.74, 0.17, own)],
        [0.92, oklch(0.97, 0.03, own + 20)],
        [0.84, oklch(0.83, 0.15, own + 8)],
      ]);
      canvas.paint(
        (at, line) => {
          const far = Math.hypot(at - x, line - y);
          const part = Math.abs((((Math.atan2(line - y, at - x) + turn + 7) / (Math.PI / 4)) % 1) - 0.5);
          return far > size * 0.76 ? 0 : Math.max((part - 0.47) * 30 + 0.5, 2 - far / (size * 0.05));
        },
        oklch(0.97, 0.03, own + 20),
        around(x, y, size),
      );
    }
  }
};

const tiles: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  const side = unit / Math.round(between(random, 3, 5));
  canvas.fade(oklch(0.96, 0.015, hue + 180), oklch(0.92, 0.02, hue + 180));
  const inTile = (paint: (x: number, y: number) => number) => (x: number, y: number) =>
    paint(Math.abs(((x % side) / side) * 2 - 1), Math.abs(((y % side) / side) * 2 - 1));
  const edge = 1.5 / side;
  const dark = oklch(0.42, 0.13, hue);
  canvas.paint(
    inTile((x, y) => (0.16 - Math.abs(Math.hypot(x - 1, y - 1) - 0.72)) / edge / 2),
    dark,
  );
  canvas.paint(
    inTile((x, y) => (0.42 - x - y) / edge / 2),
    oklch(0.64, 0.14, hue + 10),
  );
  canvas.paint(
    inTile((x, y) => (0.2 - x - y) / edge / 2),
    oklch(0.86, 0.13, hue + 170),
  );
  canvas.paint(
    inTile((x, y) => (0.34 - Math.hypot(x - 1, y - 1)) / edge / 2),
    oklch(0.72, 0.1, hue + 20),
  );
  canvas.paint(
    inTile((x, y) => (0.15 - Math.hypot(x - 1, y - 1)) / edge / 2),
    dark,
  );
  canvas.paint(
    inTile((x, y) => (Math.max(x, y) - 0.985) * 60),
    oklch(0.78, 0.03, hue + 150),
  );
  canvas.paint((x, y) => 0.16 * Math.max(0, 1 - (x / width + y / height)), oklch(1, 0, 0));
};

const leaves: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  canvas.fade(oklch(0.9, 0.05, hue + 60), oklch(0.8, 0.08, hue + 30));
  for (let leaf = 0; leaf < 34; leaf++) {
    const near = leaf / 34;
    const [x, y, turn] = [random() * width, random() * height, random() * Math.PI];
    const [long, cos, sin] = [unit * between(random, 0.14, 0.3), Math.cos(turn), Math.sin(turn)];
    const colour = oklch(0.72 - 0.38 * near, 0.11, hue + between(random, -18, 18));
    const shape = (dx: number, dy: number): number => {
      const [along, across] = [(dx * cos + dy * sin) / long, (dy * cos - dx * sin) / long];
      return (0.3 * (1 - along * along) - Math.abs(across)) * long;
    };
    canvas.paint(
      (at, row) => 0.3 * Math.min(1, shape(at - x - 6, row - y - 9) / 12),
      oklch(0.2, 0.05, hue),
      around(x, y, long + 12),
    );
    canvas.paint((at, row) => shape(at - x, row - y), colour, around(x, y, long));
    const rib = mix(colour, oklch(0.95, 0.05, hue + 40), 0.5);
    canvas.paint(
      (at, row) => (shape(at - x, row - y) > 0 ? 1.2 - Math.abs((row - y) * cos - (at - x) * sin) : 0),
      rib,
      around(x, y, long),
    );
  }
};

const poster: Painter = (canvas, hue, random) => {
  const { width, height, unit } = canvas;
  const side = unit / 4;
  const colours = [0, 45, 160, 210].map((turn, index) =>
    oklch([0.62, 0.86, 0.45, 0.75][index] ?? 0.5, 0.13, hue + turn),
  );
  const paper = oklch(0.96, 0.02, 85);
  canvas.fade(paper, paper);
  for (let top = 0; top < height; top += side) {
    for (let left = 0; left < width; left += side) {
      const [ground, form] = [random, random].map((next) => colours[Math.floor(next() * colours.length)] ?? paper);
      const box = { left, right: left + side, top, bottom: top + side };
      if (random() < 0.6) canvas.paint(() => 1, ground ?? paper, box);
      const kind = Math.floor(random() * 4);
      const [cx, cy] = [left + (random() < 0.5 ? 0 : side), top + (random() < 0.5 ? 0 : side)];
      const masks = [
        (x: number, y: number) => side * 0.98 - Math.hypot(x - cx, y - cy),
        (x: number, y: number) => side * 0.4 - Math.hypot(x - left - side / 2, y - top - side / 2),
        (x: number, y: number) => side - Math.abs(x - cx) - Math.abs(y - cy),
        (_: number, y: number) => (Math.floor(((y - top) / side) * 6) % 2 === 0 ? 1 : 0),
      ];
      canvas.paint((x, y) => masks[kind]?.(x, y) ?? 0, form ?? paper, box);
    }
  }
};

/** The painter of each kind of picture. */
export const SCENES = { hills, harbour, night, table, citrus, tiles, leaves, poster } satisfies Record<string, Painter>;

export type Scene = keyof typeof SCENES;
