import { Badge } from '../../ui/badge.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import type { FilePreview, ImportOptions, TimeFormat } from './upload.ts';

const FORMATS: Record<TimeFormat, string> = {
  iso: 'Year-month-day (ISO 8601)',
  mdy: 'Month/day/year',
  dmy: 'Day/month/year',
  words: 'Month in words',
  unix: 'Seconds since 1970',
  'unix-ms': 'Milliseconds since 1970',
};

interface TimeReadingProps {
  times: NonNullable<FilePreview['times']>;
  columns: FilePreview['columns'];
  options: ImportOptions;
  onChange: (part: Partial<ImportOptions>) => void;
}

/** How the times of joining are read, to be corrected. */
export function TimeReading({ times, columns, options, onChange }: TimeReadingProps) {
  const { format, isFormatGuess, timeZone, timeZoneName, isTimeZoneGuess } = times;
  const [example] = columns.flatMap(({ field, examples }) => (field === 'joinedAt' ? examples : []));
  const found = options.timeFormat === 'auto' && format !== null ? FORMATS[format] : 'What the rows say';
  const formats = Object.entries(FORMATS) as [TimeFormat, string][];
  const zones = ['UTC', timeZone, ...Intl.supportedValuesOf('timeZone')];
  return (
    <section className="flex flex-col gap-2">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={<Labelled text="Date format" isGuess={isFormatGuess} />}>
          <Select
            label="Date format"
            value={options.timeFormat}
            onChange={(timeFormat) => onChange({ timeFormat })}
            options={[
              { value: 'auto', label: options.timeFormat === 'auto' ? `Detected: ${found}` : found },
              ...formats.map(([value, label]) => ({ value, label })),
            ]}
          />
        </Field>
        <Field label={<Labelled text="Time zone" isGuess={isTimeZoneGuess} />}>
          <Combobox
            label="Time zone"
            value={options.timeZone}
            onChange={(zone) => onChange({ timeZone: zone ?? 'auto' })}
            options={[
              { value: 'auto', label: autoZone(options.timeZone, times.timeZoneName, isTimeZoneGuess) },
              ...[...new Set(zones)].map((value) => ({
                value,
                label: value === timeZone ? timeZoneName : value,
              })),
            ]}
          />
        </Field>
      </div>
      {example && (
        <p className="text-sm text-mute">
          {example.time === null
            ? `“${example.text}” cannot be read as a time.`
            : `“${example.text}” is read as ${shownTime(example.time)}.`}
        </p>
      )}
    </section>
  );
}

/** In the zone of the browser, which it names. */
function shownTime(time: string): string {
  return new Date(time).toLocaleString('en', {
    ...{ year: 'numeric', month: 'short', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  });
}

function Labelled({ text, isGuess }: { text: string; isGuess: boolean }) {
  return (
    <span className="inline-flex min-h-5.5 items-center gap-2">
      {text}
      {isGuess && <Badge tone="warn">Guess</Badge>}
    </span>
  );
}

function autoZone(chosen: string, name: string, isGuess: boolean): string {
  if (chosen !== 'auto') return 'What the file says';
  return isGuess ? `${name}, the file does not say` : `Detected: ${name}`;
}
