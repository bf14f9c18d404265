import type { Schemas } from '../../api/client.ts';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Bars, percent } from './bars.tsx';
import { PeopleLink } from './people-link.tsx';
import type { Statistics } from './statistics-query.ts';

type Counted = Schemas['MetadataStatistics'];

/** The values of one counted metadata key. Loaded where there is one. */
export default function MetadataCard({
  name,
  statistics,
}: {
  name: string;
  statistics: Statistics | undefined;
}) {
  const counted = statistics?.metadata?.find(({ key }) => key === name);
  return (
    <Card title={<code className="font-mono">{name}</code>} about="Signups in this period, by metadata.">
      {counted && statistics ? <Values counted={counted} {...statistics} /> : <Skeleton className="h-55" />}
    </Card>
  );
}

const DAY_MS = 86_400_000;

/** Values are counted by days in UTC: those that begin in the period. */
function dayFrom(time: string): string {
  return new Date(Math.ceil(Date.parse(time) / DAY_MS) * DAY_MS).toISOString();
}

interface ValuesProps {
  counted: Counted;
  from: string;
  to: string;
}

function Values({ counted: { key, values, other }, from, to }: ValuesProps) {
  // A filter cannot name a key with this character.
  const isLinked = !key.includes('=');
  const total = values.reduce((sum, { signups }) => sum + signups, other);
  if (total === 0) return <p className="text-mute">No signup had this in its metadata.</p>;
  return (
    <Bars
      label={`Signups by ${key}`}
      bars={[
        ...values.slice(0, 7).map(({ value, signups }) => ({
          id: `value ${String(value)}`,
          label: isLinked ? (
            <PeopleLink
              segment={{
                where: [`${key}=${value}`],
                joinedAfter: dayFrom(from),
                joinedBefore: dayFrom(to),
              }}
            >
              {String(value)}
            </PeopleLink>
          ) : (
            String(value)
          ),
          value: signups,
          about: percent(signups, total),
        })),
        ...rest(values.slice(7), other, total),
      ]}
    />
  );
}

function rest(hidden: Counted['values'], other: number, total: number) {
  const value = hidden.reduce((sum, { signups }) => sum + signups, other);
  return value === 0 ? [] : [{ id: 'other', label: 'Everything else', value, about: percent(value, total) }];
}
