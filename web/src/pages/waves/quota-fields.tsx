import { Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { MAX } from '../../api/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import type { PartProps } from './number-field.tsx';
import type { QuotaDraft } from './wave-draft.ts';

/** Parts of the invites, each for people with one metadata value. */
export function QuotaFields({ draft, set, problem }: PartProps) {
  const { quotas } = draft;
  const add = useRef<HTMLButtonElement>(null);
  const change = (id: number, fields: Partial<QuotaDraft>) =>
    set({ quotas: quotas.map((quota) => (quota.id === id ? { ...quota, ...fields } : quota)) });
  const left = 100 - quotas.reduce((sum, { percent }) => sum + (Number(percent) || 0), 0);
  const next = Math.max(-1, ...quotas.map(({ id }) => id)) + 1;
  return (
    <div className="flex flex-col gap-3">
      <div aria-hidden className="-mb-1.5 flex gap-2 text-sm font-medium">
        <span className="w-20">Percent</span>
        <span className="min-w-0 flex-1">Metadata key</span>
        <span className="min-w-0 flex-1">Value</span>
        <span className="w-11" />
      </div>
      {quotas.map(({ id, percent, key, value }, index) => (
        <div key={id} className="flex items-start gap-2">
          <Field
            label={`Percent ${index + 1}`}
            hideLabel
            error={problem(`quotas[${index}].percent`)}
            className="w-20"
          >
            <Input
              type="number"
              min={1}
              max={100}
              placeholder="%"
              value={percent}
              onChange={(event) => change(id, { percent: event.target.value })}
            />
          </Field>
          <Field
            label={`Metadata key ${index + 1}`}
            hideLabel
            error={problem(`quotas[${index}].segment`)}
            className="min-w-0 flex-1"
          >
            <Input
              placeholder="plan"
              value={key}
              onChange={(event) => change(id, { key: event.target.value })}
            />
          </Field>
          <Field label={`Value ${index + 1}`} hideLabel className="min-w-0 flex-1">
            <Input
              placeholder="pro"
              value={value}
              onChange={(event) => change(id, { value: event.target.value })}
            />
          </Field>
          <Button
            look="quiet"
            aria-label={`Remove quota ${index + 1}`}
            disabled={quotas.length === 1}
            icon={<Trash2 aria-hidden />}
            onClick={() => {
              set({ quotas: quotas.filter((quota) => quota.id !== id) });
              add.current?.focus(); // This button goes with its quota.
            }}
          />
        </div>
      ))}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-mute">
          {left < 0 ? 'More than 100% in total.' : `${left}% for everyone else.`}
        </p>
        <Button
          ref={add}
          size="sm"
          icon={<Plus aria-hidden />}
          disabled={quotas.length >= MAX.WaveRequest.quotas}
          onClick={() => set({ quotas: [...quotas, { id: next, percent: '', key: '', value: '' }] })}
        >
          Add a quota
        </Button>
      </div>
    </div>
  );
}
