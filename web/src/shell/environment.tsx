import { useQuery } from '@tanstack/react-query';
import { Check, ChevronsUpDown } from 'lucide-react';
import { environmentsQuery } from '../api/waitlists.ts';
import { cx } from '../ui/cx.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { PRODUCTION, useScope, useSwitchEnvironment } from './waitlist-scope.ts';

function title(environment: string): string {
  return environment.slice(0, 1).toUpperCase() + environment.slice(1);
}

function Dot({ environment }: { environment: string }) {
  return (
    <span
      aria-hidden
      className={cx(
        'size-2 shrink-0',
        environment === PRODUCTION ? 'rounded-full bg-accent' : 'rotate-45 rounded-[2px] bg-warn-fill',
      )}
    />
  );
}

/** Always in sight while data other than production's is shown. */
export function EnvironmentBand({ environment }: { environment: string }) {
  const switchTo = useSwitchEnvironment();
  return (
    <section
      aria-label="Environment"
      className="flex h-8 items-center justify-center gap-3 bg-warn-fill px-3 text-sm font-medium whitespace-nowrap text-on-warn"
    >
      <span className="truncate">
        <span className="max-md:hidden">You are looking at </span>
        <strong>{environment}</strong> data
      </span>
      <button
        type="button"
        onClick={() => switchTo(PRODUCTION)}
        className="shrink-0 rounded-sm underline underline-offset-2 focus-visible:outline-on-warn"
      >
        Switch to production
      </button>
    </section>
  );
}

export function EnvironmentPill({ environment }: { environment: string }) {
  return (
    <span
      className={cx(
        'flex h-7 items-center gap-1.5 rounded-full px-2.5 text-sm font-medium',
        environment === PRODUCTION ? 'bg-accent-soft text-accent-strong' : 'bg-warn-soft text-warn',
      )}
    >
      <Dot environment={environment} />
      {title(environment)}
    </span>
  );
}

export function EnvironmentSwitch({ onSwitch }: { onSwitch?: (() => void) | undefined }) {
  const { environment } = useScope();
  const { data: environments = [PRODUCTION] } = useQuery(environmentsQuery);
  const switchTo = useSwitchEnvironment();
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          aria-label={`Environment: ${environment}`}
          className={cx(
            'flex h-9 w-full items-center gap-2.5 rounded-md px-3 text-left font-medium ring-1 ring-inset',
            environment === PRODUCTION
              ? 'bg-accent-soft text-accent-strong ring-transparent'
              : 'bg-warn-soft text-warn ring-warn-fill',
          )}
        >
          <Dot environment={environment} />
          <span className="min-w-0 flex-1 truncate">{title(environment)}</span>
          <ChevronsUpDown className="size-3.5 shrink-0" aria-hidden />
        </button>
      }
    >
      {environments.map((each) => (
        <MenuItem
          key={each}
          icon={<Dot environment={each} />}
          onClick={() => {
            switchTo(each);
            onSwitch?.();
          }}
        >
          <span className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{title(each)}</span>
            {each === environment && <Check aria-label="(chosen)" />}
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
