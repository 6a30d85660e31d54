import 'react-easy-crop/react-easy-crop.css';
import './fit.css';
import { previewOf } from '@postshelf/browser/media/media-facts.ts';
import type { MediaItem } from '@postshelf/client';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import Cropper from 'react-easy-crop';
import { NetworkIcon } from '../networks/network-icon.tsx';
import { client, queryClient, sentenceOf, trpc } from '../service/service.ts';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import {
  acceptedRatio,
  focusOf,
  middleOf,
  type Part,
  partOf,
  type Shape,
  shapesFor,
  takesShape,
  WHOLE,
} from './shapes.ts';
import { useFocus } from './use-focus.ts';

/** A target that the item can be converted for. */
export interface FitChoice {
  readonly target: string;
  readonly name: string;
}

export interface FitDialogProps {
  readonly item: MediaItem;
  /** The target whose button was pressed. It may also be one of the choices. */
  readonly first: FitChoice;
  readonly choices: readonly FitChoice[];
  /** Called with the new items, which are still being processed. */
  onMade(made: readonly MediaItem[]): void;
  onClose(): void;
}

/** Size of the preview in CSS pixels. */
const PREVIEW = 720;

const MAX_ZOOM = 4;

/**
 * Converts the whole image, or a part that the user chooses, to a new item for each chosen target. If a target doesn't
 * accept the shape, its file gets bars. The status of the new items shows the progress.
 */
export function FitDialog({ item, first, choices: all, onMade, onClose }: FitDialogProps) {
  const choices = [first, ...all.filter(({ target }) => target !== first.target)];
  const size = { width: item.width ?? 1, height: item.height ?? 1 };
  const kind = item.time !== null || (item.details?.image?.frames ?? 1) > 1 ? 'video' : 'image';
  const [checked, setChecked] = useState<readonly string[]>([first.target]);
  const shapes = shapesFor(checked);
  const [chosen, setChosen] = useState<Shape>(() =>
    takesShape(first.target, kind, size) ? WHOLE : (shapesFor([first.target])[1] ?? WHOLE),
  );
  const shape = shapes.includes(chosen) ? chosen : WHOLE;
  const [zoom, setZoom] = useState(1);
  // Offset of the image's centre from the part's centre, in the cropper's pixels.
  const [offset, setOffset] = useState({ x: 0, y: 0 });
  const focus = useFocus(item);
  const middle = useRef(focus.place());
  const [failures, setFailures] = useState<readonly string[]>([]);
  const bars = choices.filter(
    ({ target }) => checked.includes(target) && !takesShape(target, kind, shape.ratio ? ofRatio(shape.ratio) : size),
  );
  const fitting = useMutation({
    async mutationFn() {
      const part = shape.ratio === null ? null : partOf(size, shape.ratio, zoom, middle.current);
      const made: MediaItem[] = [];
      const failed: string[] = [];
      const left: string[] = [];
      for (const { target, name } of choices.filter((choice) => checked.includes(choice.target))) {
        try {
          const input = { id: item.id, target, how: 'pad' as const, ...(part && { crop: part }) };
          made.push(...(await client.trpc.media.fit.mutate(input)).data);
        } catch (error) {
          failed.push(`${name}: ${sentenceOf(error)}`);
          left.push(target);
        }
      }
      return { made, failed, left };
    },
    onSuccess({ made, failed, left }) {
      if (made.length > 0) {
        void queryClient.invalidateQueries({ queryKey: trpc.media.list.pathKey() });
        onMade(made);
      }
      if (failed.length === 0) return onClose();
      setFailures(failed);
      setChecked(left);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (checked.length > 0 && !fitting.isPending) fitting.mutate();
  };
  return (
    <Dialog title={`Fit for ${first.name}`} isOpen isWide staysOpen={fitting.isPending} onClose={onClose}>
      <form onSubmit={submit} className="fit">
        {shape.ratio === null ? (
          <WholeImage item={item} kind={kind} ratio={acceptedRatio(bars[0]?.target ?? first.target, kind, size)} />
        ) : (
          <PartOfImage
            key={shape.id}
            item={item}
            ratio={shape.ratio}
            initial={partOf(size, shape.ratio, zoom, focus.place())}
            zoom={zoom}
            offset={offset}
            onZoom={setZoom}
            onMove={setOffset}
            onPart={(part) => {
              middle.current = middleOf(part);
            }}
            onMoved={(part) => focus.move(focusOf(part, focus.place()))}
          />
        )}
        <div className="fit-choices">
          <Shapes shapes={shapes} shape={shape} onChoose={setChosen} />
          <Zoom
            value={zoom}
            isDisabled={shape.ratio === null}
            onChange={(next) => {
              // Keeps the same point of the image in the centre.
              setOffset({ x: (offset.x * next) / zoom, y: (offset.y * next) / zoom });
              setZoom(next);
            }}
          />
          <Targets choices={choices} checked={checked} onCheck={setChecked} />
        </div>
        <p className="fit-note">
          {noteOn(
            bars.map(({ name }) => name),
            kind,
          )}{' '}
          The original isn’t changed, and the position that you choose is remembered.
        </p>
        {failures.length > 0 && (
          <ul role="alert">
            {failures.map((failure) => (
              <li key={failure}>{failure}</li>
            ))}
          </ul>
        )}
        <DialogActions>
          <CancelButton hasStarted={fitting.isPending} onPress={onClose} />
          <ConfirmButton
            type="submit"
            reason={checked.length === 0 ? 'Choose at least one network.' : null}
            isPending={fitting.isPending}
          >
            Create
          </ConfirmButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}

const ofRatio = (ratio: number) => ({ width: ratio, height: 1 });

/** Returns a note on the bars: "For X and LinkedIn, white bars are added." */
function noteOn(names: readonly string[], kind: 'image' | 'video'): string {
  if (names.length === 0) return 'Each copy has a type and size that its network accepts.';
  const last = names.at(-1) ?? '';
  const listed = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
  return `For ${listed}, ${kind === 'video' ? 'black' : 'white'} bars are added, because the original’s shape isn’t accepted.`;
}

/** Returns the URL of the item's image, or of a video's cover. */
const imageOf = (item: MediaItem): string =>
  previewOf(item, PREVIEW, devicePixelRatio) ?? (item.time === null ? item.link : (item.thumbnail?.link ?? ''));

interface WholeImageProps {
  readonly item: MediaItem;
  readonly kind: 'image' | 'video';
  /** Aspect ratio of the image with its bars. */
  readonly ratio: number;
}

const WholeImage = ({ item, kind, ratio }: WholeImageProps) => (
  <div className="fit-stage">
    <div className="fit-canvas" data-kind={kind} style={{ aspectRatio: ratio, '--ratio': ratio } as object}>
      <img src={imageOf(item)} alt={item.details?.alt_text ?? item.name} draggable={false} />
    </div>
  </div>
);

interface PartOfImageProps {
  readonly item: MediaItem;
  readonly ratio: number;
  readonly initial: Part;
  readonly zoom: number;
  readonly offset: { readonly x: number; readonly y: number };
  onZoom(zoom: number): void;
  onMove(offset: { readonly x: number; readonly y: number }): void;
  onPart(part: Part): void;
  /** Called when the user has moved the part. */
  onMoved(part: Part): void;
}

/** Lets the user move and zoom the part of the image by pointer, wheel, two fingers or arrow keys. */
function PartOfImage({ item, ratio, initial, zoom, offset, onZoom, onMove, onPart, onMoved }: PartOfImageProps) {
  const [first] = useState(() => percent(initial));
  const part = useRef(initial);
  const kept = useRef(initial);
  return (
    <div className="fit-stage">
      <Cropper
        image={imageOf(item)}
        crop={{ ...offset }}
        zoom={zoom}
        aspect={ratio}
        minZoom={1}
        maxZoom={MAX_ZOOM}
        keyboardStep={8}
        initialCroppedAreaPercentages={first}
        // The cropper's own style element would need the page's nonce.
        disableAutomaticStylesInjection
        mediaProps={{ alt: '' }}
        cropperProps={{ role: 'group', 'aria-label': 'Visible part of the image. Arrow keys move it.' }}
        onInteractionEnd={() => {
          // Compares the part with the last saved one, because a single key press or wheel notch may move it by less
          // than the minimum.
          if (!hasMoved(kept.current, part.current)) return;
          kept.current = part.current;
          onMoved(part.current);
        }}
        onCropChange={onMove}
        onZoomChange={onZoom}
        onCropAreaChange={(area) => {
          const { x, y, width, height } = area;
          if (!Number.isFinite(x + y + width + height)) return;
          part.current = { x: x / 100, y: y / 100, width: width / 100, height: height / 100 };
          onPart(part.current);
        }}
      />
    </div>
  );
}

/** Minimum movement as a fraction of the image; smaller differences are rounding errors. */
const MIN_MOVE = 0.002;

const hasMoved = (from: Part, to: Part): boolean => {
  const [a, b] = [middleOf(from), middleOf(to)];
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y)) > MIN_MOVE;
};

const percent = ({ x, y, width, height }: Part): Part => ({
  x: x * 100,
  y: y * 100,
  width: width * 100,
  height: height * 100,
});

interface ShapesProps {
  readonly shapes: readonly Shape[];
  readonly shape: Shape;
  onChoose(shape: Shape): void;
}

function Shapes({ shapes, shape, onChoose }: ShapesProps) {
  const id = useId();
  return (
    <div className="fit-group">
      <h3 id={id}>Shape</h3>
      <div role="radiogroup" aria-labelledby={id} className="fit-shapes">
        {shapes.map((one) => (
          <label key={one.id}>
            <input type="radio" name={id} checked={one === shape} onChange={() => onChoose(one)} />
            {one.ratio !== null && (
              <span
                className="fit-sketch"
                style={{ width: 16 * Math.min(1, one.ratio), height: 16 / Math.max(1, one.ratio) }}
                aria-hidden="true"
              />
            )}
            {one.label}
          </label>
        ))}
      </div>
    </div>
  );
}

interface ZoomProps {
  readonly value: number;
  readonly isDisabled: boolean;
  onChange(zoom: number): void;
}

function Zoom({ value, isDisabled, onChange }: ZoomProps) {
  const id = useId();
  return (
    <div className="field fit-zoom">
      <label htmlFor={id}>Zoom</label>
      <input
        id={id}
        type="range"
        min={1}
        max={MAX_ZOOM}
        step={0.05}
        value={isDisabled ? 1 : value}
        disabled={isDisabled}
        aria-valuetext={`${Math.round(value * 100)} %`}
        onChange={({ target }) => onChange(Number(target.value))}
      />
    </div>
  );
}

interface TargetsProps {
  readonly choices: readonly FitChoice[];
  readonly checked: readonly string[];
  onCheck(targets: readonly string[]): void;
}

function Targets({ choices, checked, onCheck }: TargetsProps) {
  return (
    <fieldset className="fit-group fit-targets">
      <legend>For</legend>
      {choices.map(({ target, name }) => (
        <label key={target}>
          <input
            type="checkbox"
            checked={checked.includes(target)}
            onChange={({ target: box }) =>
              onCheck(box.checked ? [...checked, target] : checked.filter((one) => one !== target))
            }
          />
          <NetworkIcon network={target.split('.')[0] ?? ''} size={14} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
