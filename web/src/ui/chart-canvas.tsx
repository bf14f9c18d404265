import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../theme.ts';
import type { ChartProps } from './chart-types.ts';

const FONT_PX = 11;
const DAY_S = 86_400;
const DATE = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const CLOCK = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const AXIS_PX = 44;

type CanvasProps = ChartProps & { height: number; onPoint: (index: number | null) => void };

/** Draws on a canvas. What it shows is also in the legend and in the table, for those who do not see it. */
export default function ChartCanvas({ label, times, series, formatTime, height, onPoint }: CanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const { dark } = useTheme();
  const latest = useRef({ onPoint, formatTime });
  latest.current = { onPoint, formatTime };
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
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        padding: [10, 24, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: { y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.08)] } },
        axes: [
          {
            ...axis,
            size: 30,
            gap: 8,
            space: 64,
            grid: { show: false },
            values: (_plot, splits) => splits.map((at) => (days ? DATE : CLOCK).format(at * 1_000)),
          },
          {
            ...axis,
            size: AXIS_PX,
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
          },
        ],
        series: [
          {},
          ...series.map(({ label: name, color: token, dashed }) => ({
            label: name,
            stroke: color(token),
            width: 2,
            points: { show: times.length < 2 },
            ...(dashed ? { dash: [4, 3] } : { fill: fade(color(token)) }),
          })),
        ],
        hooks: { setCursor: [(drawn) => latest.current.onPoint(drawn.cursor.idx ?? null)] },
      },
      [times.map((at) => Date.parse(at) / 1_000), ...series.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      latest.current.onPoint(null);
    };
  }, [times, series, height, dark]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={`${label}. The table has the same numbers.`}
      className="min-w-0"
      style={{ height }}
    />
  );
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

function fade(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgb($1 / 0.1)').replaceAll(', ', ' ');
}
