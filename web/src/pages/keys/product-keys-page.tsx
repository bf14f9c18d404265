import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { environmentsQuery } from '../../api/waitlists.ts';
import { PRODUCTION } from '../../shell/waitlist-scope.ts';
import { capitalize } from '../../ui/capitalize.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { KeysCard } from '../api/keys-card.tsx';

/** Every installation has these, so that the tabs stay where they are once the others are loaded. */
const ALWAYS = ['development', PRODUCTION];

/** Keys that cover every waitlist of an environment. */
export function ProductKeysPage() {
  const { environment = PRODUCTION } = useSearch({ from: '/shell/instance/keys' });
  const navigate = useNavigate({ from: '/instance/keys' });
  const { data: environments = ALWAYS } = useQuery(environmentsQuery);
  const names = environments.includes(environment) ? environments : [...environments, environment];
  return (
    <>
      <PageHeader
        title="Product keys"
        about="One key for all waitlists of an environment. For a backend that serves only one, create a key on its API page."
      />
      <Tabs
        label="Environment"
        value={environment}
        onChange={(next) =>
          void navigate({ search: { environment: next === PRODUCTION ? undefined : next } })
        }
        tabs={names.map((value) => ({
          value,
          label: capitalize(value),
        }))}
        panels={Object.fromEntries(
          names.map((name) => [
            name,
            () => (
              <KeysCard
                scope={{ waitlistId: null, environment: name }}
                title="Product keys"
                about={`Read and write every waitlist in ${name}.`}
              />
            ),
          ]),
        )}
      />
    </>
  );
}
