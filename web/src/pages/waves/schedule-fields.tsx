import { capitalize } from '../../ui/capitalize.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { NumberField, type PartProps } from './number-field.tsx';
import { WEEKDAYS } from './wave-draft.ts';

export const REPEATS = [
  { value: 'weekdays', label: 'Each weekday' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Days of the week' },
  { value: 'monthly', label: 'A day of the month' },
  { value: 'once', label: 'Once' },
] as const;

/** When a wave runs, and how many it invites each time. */
export function ScheduleFields({ draft, set, problem }: PartProps) {
  const zones = [...new Set(['UTC', draft.timeZone, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <>
      <div className="grid gap-4 md:grid-cols-2">
        <Field label="Days">
          <Select
            label="Days"
            value={draft.repeat}
            onChange={(repeat) => set({ repeat })}
            options={REPEATS}
          />
        </Field>
        {draft.repeat === 'once' && (
          <Field label="Date" error={problem('schedule.date')}>
            <Input type="date" value={draft.date} onChange={(event) => set({ date: event.target.value })} />
          </Field>
        )}
        {draft.repeat === 'monthly' && (
          <NumberField
            label="Day of the month"
            help="Shorter months run on their last day."
            value={draft.dayOfMonth}
            error={problem('schedule.dayOfMonth')}
            onChange={(dayOfMonth) => set({ dayOfMonth })}
          />
        )}
        <Field label="Time" error={problem('schedule.time')}>
          <Input type="time" value={draft.time} onChange={(event) => set({ time: event.target.value })} />
        </Field>
        <Field label="Time zone" error={problem('schedule.timeZone')}>
          <Combobox
            label="Time zone"
            placeholder="Search time zones…"
            value={draft.timeZone}
            onChange={(timeZone) => timeZone && set({ timeZone })}
            options={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
          />
        </Field>
      </div>
      {draft.repeat === 'weekly' && <DaysOfWeek draft={draft} set={set} problem={problem} />}
      <NumberField
        label="Invites each time"
        help="At most. Leave it empty to invite everyone who is waiting."
        value={draft.count}
        error={problem('count')}
        onChange={(count) => set({ count })}
      />
    </>
  );
}

function DaysOfWeek({ draft, set, problem }: PartProps) {
  const error = problem('schedule.days');
  return (
    <fieldset className="flex flex-wrap gap-x-5 gap-y-2">
      <legend className="sr-only">Days of the week</legend>
      {WEEKDAYS.map((day) => (
        <Checkbox
          key={day}
          label={capitalize(day)}
          checked={draft.days.includes(day)}
          onChange={(checked) =>
            set({ days: WEEKDAYS.filter((each) => (each === day ? checked : draft.days.includes(each))) })
          }
        />
      ))}
      {error && <p className="w-full text-sm text-danger">{error}</p>}
    </fieldset>
  );
}
