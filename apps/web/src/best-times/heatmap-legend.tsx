import { shadeOf } from './week.ts';

const SAMPLES = [55, 70, 85, 100, 115, 130, 145];

export interface HeatmapLegendProps {
  /** The text of the cell under the pointer. */
  readonly read: string | null;
}

/** Explains the colours, and shows the text of the cell under the pointer. Screen readers read the cells themselves. */
export const HeatmapLegend = ({ read }: HeatmapLegendProps) => (
  <div className="heatmap-foot">
    <p className="heatmap-legend">
      <span>
        <span className="visually-hidden">Scale: </span>
        below average
        {SAMPLES.map((value) => (
          <span key={value} className="heatmap-cell" data-side={value < 100 ? 'below' : 'above'} style={shadeOf(value)}>
            {value}
          </span>
        ))}
        above average
      </span>
      <span>
        <span className="heatmap-cell" data-side="above" data-untried="" aria-hidden="true" />
        no posts yet, learned from other hours
      </span>
    </p>
    <p className="heatmap-read" aria-hidden="true">
      {read ?? 'Hover over an hour for details, or use the arrow keys.'}
    </p>
  </div>
);
