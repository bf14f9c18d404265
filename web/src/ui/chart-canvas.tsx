import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../theme.ts';
import type { ChartProps } from './chart-types.ts';
import { cx } from './cx.ts';

const FONT_PX = 11;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
/** Labels are never closer than an hour or a day. */
const HOURS_APART = [1, 2, 3, 6, 12].map((hours) => hours * HOUR_S);
const DAYS_APART = [1, 2, 5, 7, 14, 28, 56, 91].map((days) => days * DAY_S);
const RUNNING_DOTS = [2, 4];
const AXIS_PX = 44;

type CanvasProps = ChartProps & { height: number; onPoint: (index: number | null) => void };

/** Draws on a canvas. What it shows is also in the legend and in the table, for those who do not see it. */
export default function ChartCanvas(props: CanvasProps) {
  const { label, times, timeZone, running = false, series, height, onPoint, onPick } = props;
  const place = useRef<HTMLDivElement>(null);
  const { dark } = useTheme();
  const latest = useRef({ onPoint, onPick });
  latest.current = { onPoint, onPick };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors are read again when the theme changes.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const color = colorsOf(element);
    const axis = {
      stroke: color('mute'),
      font: `${FONT_PX}px ${getComputedStyle(element).fontFamily}`,
      grid: { stroke: color('line'), width: 1 },
      ticks: { show: false },
    };
    const days = Date.parse(times.at(-1) ?? '') - Date.parse(times[0] ?? '') > 2 * DAY_S * 1_000;
    const format = new Intl.DateTimeFormat('en', { ...(days ? DATE : CLOCK), timeZone });
    const lines = series.flatMap((line) => partsOf(line, running));
    const plot = new uPlot(
      {
        tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), timeZone),
        width: element.clientWidth,
        height,
        padding: [10, 24, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          // A single time is in the middle.
          x: {
            range: (_plot, first, last) =>
              times.length > 1 ? [first, last] : [first - HOUR_S / 2, first + HOUR_S / 2],
          },
          y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.08)] },
        },
        axes: [
          {
            ...axis,
            size: 30,
            gap: 8,
            space: 64,
            incrs: days ? DAYS_APART : HOURS_APART,
            grid: { show: false },
            values: (_plot, splits) => splits.map((at) => format.format(at * 1_000)),
          },
          {
            ...axis,
            size: AXIS_PX,
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
          },
        ],
        series: [
          {},
          ...lines.map(({ label: name, color: token, dash, past }) => ({
            label: name,
            stroke: past ? fade(color(token), 0.6) : color(token),
            width: past ? 1.5 : 2,
            points: { show: times.length < 2 },
            ...(dash ? { dash: [...dash] } : past ? {} : { fill: fade(color(token), 0.1) }),
          })),
        ],
        hooks: { setCursor: [(drawn) => latest.current.onPoint(drawn.cursor.idx ?? null)] },
      },
      [times.map((at) => Date.parse(at) / 1_000), ...lines.map(({ values }) => values)],
      element,
    );
    plot.over.addEventListener('click', () => {
      const { idx } = plot.cursor;
      if (typeof idx === 'number') latest.current.onPick?.(idx);
    });
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      latest.current.onPoint(null);
    };
  }, [times, timeZone, running, series, height, dark]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={`${label}. The table has the same numbers.`}
      className={cx('min-w-0', onPick && '[&_.u-over]:cursor-pointer')}
      style={{ height }}
    />
  );
}

/** Up to the last time, and from there to the one that is not over yet. */
function partsOf({ label, color, values, dashed, past }: ChartProps['series'][number], running: boolean) {
  const whole = { label, color, values: [...values], past, dash: dashed ? [4, 3] : undefined };
  const last = values.length - 1;
  if (!running || past || last < 1) return [whole];
  const over = values.map((value, index) => (index < last ? value : null));
  const rest = values.map((value, index) => (index >= last - 1 ? value : null));
  return [
    { ...whole, values: over },
    { ...whole, values: rest, dash: RUNNING_DOTS },
  ];
}

/** The browser resolves a token to the color of the current theme. */
function colorsOf(element: HTMLElement): (token: string) => string {
  return (token) => {
    element.style.color = `var(--${token})`;
    const { color } = getComputedStyle(element);
    element.style.removeProperty('color');
    return color;
  };
}

function fade(color: string, opacity: number): string {
  return color.replace(/^rgb\((.*)\)$/, `rgb($1 / ${opacity})`).replaceAll(', ', ' ');
}
