import './view-controls.css';
import { TILE_HEIGHT } from '@postshelf/browser/media/tile-layout.ts';
import { type ReactNode, useId } from 'react';
import { GridIcon, ListIcon } from '../../ui/icons.tsx';
import { PHONE, useMediaQuery } from '../../ui/use-media-query.ts';
import { type MediaView, useMediaView } from './media-view.ts';

const VIEWS: readonly { readonly kind: MediaView['kind']; readonly label: string; readonly icon: ReactNode }[] = [
  { kind: 'grid', label: 'Grid', icon: <GridIcon /> },
  { kind: 'list', label: 'List', icon: <ListIcon /> },
];

/** Chooses between tiles and lines. */
export function ViewChoice() {
  const { kind, change } = useMediaView();
  const name = useId();
  return (
    <div role="radiogroup" aria-label="View" className="view-choice">
      {VIEWS.map((view) => (
        <label key={view.kind} title={view.label}>
          <input
            type="radio"
            name={name}
            aria-label={view.label}
            checked={view.kind === kind}
            onChange={() => change({ kind: view.kind })}
          />
          {view.icon}
        </label>
      ))}
    </div>
  );
}

/** Step of the slider in pixels. */
const STEP = 12;

/** Slider for the size of the tiles. Lines have a fixed size. */
export function SizeSlider({ isLabelHidden = false }: { readonly isLabelHidden?: boolean }) {
  const { kind, height, change } = useMediaView();
  const usual = useMediaQuery(PHONE) ? TILE_HEIGHT.onPhones : TILE_HEIGHT.usual;
  const id = useId();
  if (kind === 'list') return null;
  const shown = height ?? usual;
  return (
    <div className="size-slider field">
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : undefined}>
        Size
      </label>
      <input
        id={id}
        type="range"
        min={TILE_HEIGHT.min}
        max={TILE_HEIGHT.max}
        step={STEP}
        value={shown}
        aria-valuetext={`${Math.round((shown / usual) * 100)} %`}
        onChange={({ target }) => change({ height: Number(target.value) })}
      />
    </div>
  );
}
