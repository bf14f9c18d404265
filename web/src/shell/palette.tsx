import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { mayActAs, useMay, useMe } from '../api/me.ts';
import { BASE_PATH } from '../base-path.ts';
import { useTheme } from '../theme.ts';
import { hasWords } from '../ui/has-words.ts';
import { number } from '../ui/number.ts';
import { POPUP_ITEM } from '../ui/popup.ts';
import { type Command, commandsFor, personCommand, searchCommand, WAITLISTS } from './palette-commands.ts';
import { usePeople } from './use-people.ts';
import { useWaitlists } from './use-waitlists.ts';

/** An installation can have hundreds. More words find the others. */
const WAITLISTS_SHOWN = 8;

interface PaletteProps {
  text: string;
  onText: (text: string) => void;
  /** Of its field: from then on, it takes what is typed. */
  onFocus: () => void;
  onClose: () => void;
}

/** What there is to jump to or to do for these words, in groups, and what to say about the search for people. */
function useCommands(text: string, mayFind: boolean) {
  const { role } = useMe();
  const { theme } = useTheme();
  const { scope, current, waitlists = [] } = useWaitlists();
  const { people, words: about } = usePeople(text, mayFind);
  const commands = commandsFor({
    ...{ scope, name: current?.name, waitlists, theme },
    may: (required) => mayActAs(role, required),
  }).filter(({ label, about: more = '', words = '' }) => hasWords(`${label} ${more} ${words}`, text));
  const listed = commands.filter(({ group }) => group === WAITLISTS);
  const left = new Set(listed.slice(WAITLISTS_SHOWN));
  const wanted = text.trim();
  const found = [
    ...people.map(personCommand),
    ...commands.filter((command) => !left.has(command)),
    ...(scope && mayFind && wanted !== '' ? [searchCommand(scope, current?.name, wanted)] : []),
  ];
  const headingOf = (group: string) =>
    group === WAITLISTS && left.size > 0
      ? `${group}: ${WAITLISTS_SHOWN} of ${number(listed.length)}. Type more to find the others.`
      : group;
  const groups = [...Map.groupBy(found, ({ group }) => group)].map(([group, items]) => ({
    value: group,
    heading: headingOf(group),
    items,
  }));
  return { groups, about };
}

/** Jumps to a page, a waitlist or a person, and does what needs no page. */
export default function Palette({ text, onText, onFocus, onClose }: PaletteProps) {
  const router = useRouter();
  const mayFind = useMay('support');
  const { groups, about } = useCommands(text, mayFind);
  const run = ({ act, find }: Command) => {
    onClose();
    if (typeof act === 'string') router.history.push(BASE_PATH + act, find === undefined ? {} : { find });
    else act();
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
            onValueChange={onText}
            itemToStringValue={({ label }: Command) => label}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex h-13 shrink-0 items-center gap-3 border-b px-4">
              <Search className="size-4 shrink-0 text-mute" aria-hidden />
              <Autocomplete.Input
                onFocus={onFocus}
                aria-label={
                  mayFind
                    ? 'Search pages, waitlists, actions, or an exact email'
                    : 'Search pages and waitlists'
                }
                placeholder={
                  mayFind ? 'Page, waitlist, action, or an exact email' : 'Page, waitlist or action'
                }
                className="min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-mute"
              />
            </div>
            <p role="status" className="px-4 pt-3 text-sm text-mute empty:hidden">
              {about}
            </p>
            <Autocomplete.Empty className="px-4 py-6 text-center text-mute empty:hidden">
              {about === '' &&
                (mayFind
                  ? 'Nothing found. People are found by their exact email or phone: their data is encrypted.'
                  : 'Nothing found.')}
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 overflow-y-auto overscroll-contain p-2 empty:hidden">
              {(group: (typeof groups)[number]) => (
                <Autocomplete.Group key={group.value} items={group.items} className="pb-2 last:pb-0">
                  <Autocomplete.GroupLabel className="truncate px-2 py-1 text-xs font-medium text-mute">
                    {group.heading}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: Command) => (
                      <Autocomplete.Item
                        key={`${command.label} ${command.act}`}
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
