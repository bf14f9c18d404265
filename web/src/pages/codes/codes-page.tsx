import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Copy, MoreHorizontal, Pencil, Plus, Ticket, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyButton, copyText } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { number } from '../../ui/number.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { EntryDrawer } from '../entry/entry-drawer.tsx';
import { useLivePeople } from '../queue/use-live-people.ts';
import { CodeDrawer } from './code-drawer.tsx';
import { CodeForm } from './code-form.tsx';
import {
  type Code,
  type CodeState,
  codeQuery,
  codesKey,
  codesQuery,
  deleteCode,
  effectOf,
  nameOfCode,
  stateOf,
} from './codes.ts';
import type { CodesSearch } from './codes-search.ts';

const TONES: Record<CodeState, Tone> = { open: 'violet', 'used up': 'accent', expired: 'warn' };

const columnsOf = (scope: Scope): readonly Column<Code>[] => [
  {
    id: 'code',
    label: 'Code',
    className: 'max-w-96 max-md:w-full max-md:max-w-0',
    cell: (code) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate font-mono font-medium" title={nameOfCode(code)}>
          {nameOfCode(code)}
        </span>
        <span className="text-sm text-mute md:hidden">{effectOf(code)}</span>
        {code.tag !== null && (
          <span className="truncate text-sm text-mute" title={code.tag} dir="auto">
            {code.tag}
          </span>
        )}
        {stateOf(code) !== 'open' && (
          <span className="text-sm text-mute md:hidden">{capitalize(stateOf(code))}</span>
        )}
      </span>
    ),
  },
  {
    id: 'does',
    label: 'Does',
    wide: true,
    className: 'whitespace-nowrap',
    cell: effectOf,
  },
  {
    id: 'state',
    label: 'State',
    wide: true,
    cell: (code) => <Badge tone={TONES[stateOf(code)]}>{capitalize(stateOf(code))}</Badge>,
  },
  {
    id: 'used',
    label: 'Used',
    right: true,
    className: 'whitespace-nowrap',
    cell: ({ used, limit }) => `${number(used)} of ${number(limit)}`,
  },
  {
    id: 'expires',
    label: 'Expires',
    right: true,
    wide: true,
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
  },
  {
    id: 'actions',
    label: <span className="sr-only">Actions</span>,
    right: true,
    cell: (code) => <Actions scope={scope} code={code} />,
  },
];

/** Codes that several people can use, and who came with them. */
export function CodesPage() {
  const scope = useScope();
  const may = useMay('support');
  const search = useSearch({ from: '/shell/waitlists/$waitlistId/codes' });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/codes' });
  const set = (change: CodesSearch, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace, resetScroll: false });
  useLivePeople(scope);
  const query = useInfiniteQuery(codesQuery(scope));
  const [creating, setCreating] = useState(false);
  const codes = query.data?.pages.flatMap((page) => page.codes);
  const add = may && (
    <Button look="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create code
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Codes"
        about="One code for many people, up to a limit: it lets them in, or puts them further ahead in line."
        actions={codes?.length !== 0 && add}
      />
      <Card flush>
        <QueryProblem query={query}>
          <Table
            label="Codes"
            columns={columnsOf(scope)}
            rows={codes}
            rowId={({ id }) => id}
            onOpen={({ id }) => set({ code: id })}
            empty={
              <EmptyState icon={<Ticket aria-hidden />} title="No codes yet" action={add}>
                For a podcast, a partner, a fair. You see who came with which one.
              </EmptyState>
            }
          />
          <LoadMore query={query} />
        </QueryProblem>
      </Card>
      {creating && (
        <CodeForm scope={scope} onClose={() => setCreating(false)} onSaved={({ id }) => set({ code: id })} />
      )}
      <CodeDrawer
        scope={scope}
        codeId={search.entry === undefined ? search.code : undefined}
        onClose={() => set({ code: undefined }, true)}
        onOpen={(entry) => set({ entry })}
      />
      <EntryDrawer
        scope={scope}
        entryId={search.entry}
        tab={search.about ?? 'details'}
        onTab={(about) => set({ about: about === 'details' ? undefined : about }, true)}
        onOpen={(entry) => set({ entry, about: undefined })}
        onClose={() => set({ entry: undefined, about: undefined }, true)}
      />
    </>
  );
}

function Actions({ scope, code }: { scope: Scope; code: Code }) {
  const client = useQueryClient();
  const may = useMay('support');
  const [doing, setDoing] = useState<'edit' | 'delete'>();
  const name = nameOfCode(code);
  if (!may) return null;
  const copyCode = async () => {
    try {
      await copyText(code.code ?? '');
      toast('Copied the code');
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <span className="inline-flex items-center">
      {code.url && <CopyButton text={code.url} what={`link of ${name}`} size="sm" />}
      <Menu
        trigger={
          <IconButton label={`Actions for ${name}`} size="sm">
            <MoreHorizontal aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={<Copy aria-hidden />} onClick={() => void copyCode()}>
          Copy code
        </MenuItem>
        <MenuItem icon={<Pencil aria-hidden />} onClick={() => setDoing('edit')}>
          Edit…
        </MenuItem>
        <MenuItem danger icon={<Trash2 aria-hidden />} onClick={() => setDoing('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {doing === 'edit' && <EditCode scope={scope} codeId={code.id} onClose={() => setDoing(undefined)} />}
      <ConfirmDialog
        open={doing === 'delete'}
        onClose={() => setDoing(undefined)}
        title={`Delete ${name}?`}
        about="Nobody can use it any more, and no other code can have this text. Who came with it stays."
        action="Delete code"
        onConfirm={async () => {
          await deleteCode(scope, code.id);
          await client.invalidateQueries({ queryKey: codesKey(scope) });
          toast(`Deleted ${name}`);
        }}
      />
    </span>
  );
}

/** Once it is known with its ETag. */
function EditCode({ scope, codeId, onClose }: { scope: Scope; codeId: string; onClose: () => void }) {
  const { data } = useQuery(codeQuery(scope, codeId));
  return data ? <CodeForm scope={scope} code={data} onClose={onClose} /> : null;
}
