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
  const when = !statistics || hasWholeDays(statistics) ? 'in' : 'on UTC days that begin in';
  return (
    <Card
      title={<code className="font-mono">{name}</code>}
      about={`Signups ${when} this period, by metadata.`}
    >
      {counted && statistics ? <Values counted={counted} {...statistics} /> : <Skeleton className="h-55" />}
    </Card>
  );
}

const DAY_MS = 86_400_000;

/** Values are counted by days in UTC: those that begin in the period. */
function dayFrom(time: string): string {
  return new Date(Math.ceil(Date.parse(time) / DAY_MS) * DAY_MS).toISOString();
}

function hasWholeDays({ from, to }: Statistics): boolean {
  return dayFrom(from) === from && (dayFrom(to) === to || Date.parse(to) > Date.now());
}

interface ValuesProps {
  counted: Counted;
  from: string;
  to: string;
}

function Values({ counted: { key, values, other }, from, to }: ValuesProps) {
  // A filter cannot name a key with this character.
  const isLinked = !key.includes('=');
  const shown = mergeByText(values);
  const total = shown.reduce((sum, { signups }) => sum + signups, other);
  if (total === 0) return <p className="text-mute">No signup had this in its metadata.</p>;
  return (
    <Bars
      label={`Signups by ${key}`}
      bars={[
        ...shown.slice(0, 7).map(({ text, signups }) => ({
          id: `value ${text}`,
          label: isLinked ? (
            <PeopleLink
              segment={{
                where: [`${key}=${text}`],
                joinedAfter: dayFrom(from),
                joinedBefore: dayFrom(to),
              }}
            >
              {text}
            </PeopleLink>
          ) : (
            text
          ),
          value: signups,
          about: percent(signups, total),
        })),
        ...rest(shown.slice(7), other, total),
      ]}
    />
  );
}

interface ShownValue {
  text: string;
  signups: number;
}

/** A filter is a text: it finds the number 1 and the text "1". */
function mergeByText(values: Counted['values']): ShownValue[] {
  const merged = new Map<string, number>();
  for (const { value, signups } of values)
    merged.set(String(value), (merged.get(String(value)) ?? 0) + signups);
  return [...merged].map(([text, signups]) => ({ text, signups })).sort((a, b) => b.signups - a.signups);
}

function rest(hidden: readonly ShownValue[], other: number, total: number) {
  const value = hidden.reduce((sum, { signups }) => sum + signups, other);
  return value === 0 ? [] : [{ id: 'other', label: 'Everything else', value, about: percent(value, total) }];
}
