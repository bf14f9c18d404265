import type { ChartProps } from './chart-types.ts';
import { number } from './number.ts';
import { Scrollable } from './scrollable.tsx';

/** The numbers of a chart, for those who do not see it or want them exactly. Loaded when it is asked for. */
export default function ChartTable({
  label,
  times,
  series,
  formatTime,
  linkAt = (_, text) => text,
}: Omit<ChartProps, 'height' | 'actions'>) {
  return (
    <Scrollable label={label} className="max-h-72 overflow-auto rounded-md ring-1 ring-line">
      <table className="w-full text-sm">
        <thead className="sticky top-0 bg-sunken text-left text-mute">
          <tr>
            <th className="px-3 py-2 font-medium">Time</th>
            {series.map(({ label: name }) => (
              <th key={name} className="px-3 py-2 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time} className="border-t">
              <td className="px-3 py-1.5 whitespace-nowrap">{linkAt(index, formatTime(time))}</td>
              {series.map(({ label: name, values }) => (
                <td key={name} className="px-3 py-1.5 text-right tabular-nums">
                  {number(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}
