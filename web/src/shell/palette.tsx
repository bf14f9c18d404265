import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { mayActAs, useMe } from '../api/me.ts';
import { waitlistsQuery } from '../api/waitlists.ts';
import { POPUP_ITEM } from '../ui/popup.ts';
import { type Command, commandsFor, personSearch } from './palette-commands.ts';
import { PRODUCTION, useScopeIfAny } from './waitlist-scope.ts';

/** Jumps to a page, a waitlist or a person. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { role } = useMe();
  const scope = useScopeIfAny();
  const router = useRouter();
  const [text, setText] = useState('');
  const { data: waitlists = [] } = useQuery(waitlistsQuery(scope?.environment ?? PRODUCTION));
  const words = text.trim().toLowerCase().split(/\s+/);
  const found = [
    ...(scope && mayActAs(role, 'support') ? personSearch(text, scope) : []),
    ...commandsFor({ scope, waitlists, may: (required) => mayActAs(role, required) }).filter((command) =>
      words.every((word) =>
        `${command.label} ${command.about ?? ''} ${command.words ?? ''}`.toLowerCase().includes(word),
      ),
    ),
  ];
  const groups = [...Map.groupBy(found, ({ group }) => group)].map(([value, items]) => ({ value, items }));
  const run = (command: Command) => {
    onClose();
    router.history.push(command.href);
  };
  return (
    <Dialog.Root open onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop-motion fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          aria-label="Search"
          className="popup-motion fixed inset-x-3 top-[10dvh] z-40 mx-auto flex max-h-[70dvh] max-w-xl flex-col overflow-hidden rounded-xl bg-raised shadow-lg ring-1 ring-line outline-none"
        >
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            value={text}
            onValueChange={setText}
            itemToStringValue={({ label }: Command) => label}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex h-13 shrink-0 items-center gap-3 border-b px-4">
              <Search className="size-4 shrink-0 text-mute" aria-hidden />
              <Autocomplete.Input
                aria-label="Search pages, waitlists, or an exact email"
                placeholder={scope ? 'Page, waitlist, or an exact email' : 'Page or waitlist'}
                className="min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-mute"
              />
            </div>
            <Autocomplete.Empty className="px-4 py-6 text-center text-mute empty:hidden">
              Nothing found. People are found by their exact email or phone: their data is encrypted.
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 overflow-y-auto overscroll-contain p-2 empty:hidden">
              {(group: (typeof groups)[number]) => (
                <Autocomplete.Group key={group.value} items={group.items} className="pb-2 last:pb-0">
                  <Autocomplete.GroupLabel className="px-2 py-1 text-xs font-medium text-mute">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: Command) => (
                      <Autocomplete.Item
                        key={command.href}
                        value={command}
                        onClick={() => run(command)}
                        className={`${POPUP_ITEM} h-10 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-mute`}
                      >
                        <command.icon />
                        <span className="min-w-0 truncate">{command.label}</span>
                        {command.about && (
                          <span className="ml-auto max-w-1/2 shrink-0 truncate text-sm text-mute">
                            {command.about}
                          </span>
                        )}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
