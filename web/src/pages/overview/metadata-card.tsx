import { Card } from '../../ui/card.tsx';
import { Bars, percent } from './bars.tsx';
import type { Statistics } from './statistics-query.ts';

/** The values of one counted metadata key. */
export function MetadataCard({
  metadata: { key, values, other },
}: {
  metadata: Statistics['metadata'][number];
}) {
  const total = values.reduce((sum, { signups }) => sum + signups, other);
  return (
    <Card title={<code className="font-mono">{key}</code>} about="Signups in this period, by metadata.">
      {total === 0 ? (
        <p className="text-mute">No signup had this in its metadata.</p>
      ) : (
        <Bars
          label={`Signups by ${key}`}
          bars={[
            ...values.slice(0, 7).map(({ value, signups }) => ({
              id: `value ${String(value)}`,
              label: String(value),
              value: signups,
              about: percent(signups, total),
            })),
            ...rest(values.slice(7), other, total),
          ]}
        />
      )}
    </Card>
  );
}

function rest(hidden: Statistics['metadata'][number]['values'], other: number, total: number) {
  const value = hidden.reduce((sum, { signups }) => sum + signups, other);
  return value === 0 ? [] : [{ id: 'other', label: 'Everything else', value, about: percent(value, total) }];
}
