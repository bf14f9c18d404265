import { Combobox } from '@base-ui/react/combobox';
import { Link } from '@tanstack/react-router';
import { Check, LayoutList } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import type { Waitlist } from '../api/waitlists.ts';
import { cx } from '../ui/cx.ts';
import { hasWords } from '../ui/has-words.ts';
import { POPUP, POPUP_ITEM } from '../ui/popup.ts';
import { environmentSearch } from './waitlist-scope.ts';

/** More would make it slow to open. */
const SHOWN = 50;

interface WaitlistFinderProps {
  trigger: ReactElement<Record<string, unknown>>;
  waitlists: readonly Waitlist[];
  /** Id of the one that the page is about. */
  chosen: string | undefined;
  environment: string;
  onNavigate?: (() => void) | undefined;
}

/** Switches between more waitlists than fit into a menu. */
export default function WaitlistFinder({
  trigger,
  waitlists,
  chosen,
  environment,
  onNavigate,
}: WaitlistFinderProps) {
  const [isOpen, setOpen] = useState(false);
  const current = waitlists.find(({ id }) => id === chosen) ?? null;
  const leave = () => {
    setOpen(false);
    onNavigate?.();
  };
  return (
    <Combobox.Root
      items={waitlists}
      value={current}
      open={isOpen}
      onOpenChange={setOpen}
      isItemEqualToValue={(a, b) => a.id === b.id}
      itemToStringLabel={({ name }) => name}
      filter={({ id, name }, typed) => hasWords(`${name} ${id}`, typed)}
      limit={SHOWN}
      autoHighlight
      modal
    >
      {/* What takes the role of a combobox is not named by its content. */}
      <Combobox.Trigger
        render={trigger}
        aria-label={`Waitlist: ${current?.name ?? chosen ?? 'Choose a waitlist'}`}
      />
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-50">
          <Combobox.Popup
            aria-label="Waitlists"
            className={cx(POPUP, 'flex w-72 max-w-(--available-width) flex-col overflow-hidden p-0!')}
          >
            <Combobox.Input
              aria-label="Search waitlists"
              placeholder="Name or id"
              className="h-10 w-full shrink-0 border-b bg-transparent px-3 outline-none placeholder:text-mute max-md:text-lg"
            />
            <Combobox.Empty className="px-3 py-2 text-sm text-mute empty:hidden">
              No waitlist found.
            </Combobox.Empty>
            <Combobox.List className="min-h-0 overflow-y-auto overscroll-contain p-1 empty:hidden">
              {(waitlist: Waitlist) => (
                <Combobox.Item
                  key={waitlist.id}
                  value={waitlist}
                  className={POPUP_ITEM}
                  render={
                    <Link
                      to="/waitlists/$waitlistId"
                      params={{ waitlistId: waitlist.id }}
                      search={environmentSearch(environment)}
                      onClick={leave}
                    />
                  }
                >
                  <span className="flex min-w-0 flex-1 flex-col leading-tight">
                    <span className="truncate">{waitlist.name}</span>
                    <span className="truncate text-xs text-mute">{waitlist.id}</span>
                  </span>
                  <Combobox.ItemIndicator>
                    <Check className="size-4 shrink-0 text-mute" aria-hidden />
                  </Combobox.ItemIndicator>
                </Combobox.Item>
              )}
            </Combobox.List>
            <div className="border-t p-1">
              {waitlists.length > SHOWN && (
                <p className="px-2 py-1 text-xs text-mute">
                  At most {SHOWN} are shown. Type to find the others.
                </p>
              )}
              <Link to="/waitlists" onClick={leave} className={cx(POPUP_ITEM, 'hover:bg-hover')}>
                <LayoutList className="size-4 shrink-0 text-mute" aria-hidden />
                All waitlists
              </Link>
            </div>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
