import { useQuery } from '@tanstack/react-query';
import { Bookmark, Check, Pencil, Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { EntryStatus } from '../../api/choices.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { QueueSearch, QueueTab } from './queue-search.ts';
import { isSame, type SavedSegment, savedSegmentsQuery, segmentOfSaved } from './saved-segments.ts';
import { isEmpty, NO_SEGMENT, type Segment } from './segment.ts';

const SaveSegmentDialog = lazy(() => import('./save-segment-dialog.tsx'));
const ManageSegments = lazy(() => import('./manage-segments.tsx'));

interface SavedSegmentsMenuProps {
  scope: Scope;
  segment: Segment;
  status: EntryStatus | undefined;
  onChange: (change: Partial<QueueSearch>) => void;
}

/** Filters of the queue that the team has given a name. */
export function SavedSegmentsMenu({ scope, segment, status, onChange }: SavedSegmentsMenuProps) {
  const [dialog, setDialog] = useState<'save' | 'manage'>();
  const maySave = useMay('support');
  const { data: saved = [] } = useQuery(savedSegmentsQuery(scope));
  const chosen = isEmpty(segment) ? undefined : saved.find((each) => isSame(each, segment, status));
  const choose = (each: SavedSegment) =>
    onChange({ ...NO_SEGMENT, ...segmentOfSaved(each), ...viewOf(each) });
  if (saved.length === 0 && !maySave) return null;
  return (
    <>
      <Menu
        align="start"
        className="max-w-72"
        trigger={
          <Button icon={<Bookmark aria-hidden />}>
            <span className={chosen ? 'max-w-40 truncate' : 'max-sm:sr-only'}>
              {chosen?.name ?? 'Segments'}
            </span>
          </Button>
        }
      >
        <MenuHeading>Saved segments</MenuHeading>
        {saved.length === 0 && (
          <p className="max-w-60 px-2 py-1 text-sm text-mute">
            None yet. Save a filter to use it again here, in invites and in exports.
          </p>
        )}
        <div className="max-h-72 overflow-y-auto">
          {saved.map((each) => (
            <MenuItem key={each.id} onClick={() => choose(each)}>
              <span className="flex items-center gap-2">
                <span className="min-w-0 flex-1 truncate" dir="auto">
                  {each.name}
                </span>
                {each === chosen && <Check aria-label="(chosen)" />}
              </span>
            </MenuItem>
          ))}
        </div>
        {maySave && <MenuLine />}
        {maySave && (
          <MenuItem
            icon={<Plus aria-hidden />}
            disabled={chosen !== undefined || (isEmpty(segment) && status === undefined)}
            onClick={() => setDialog('save')}
          >
            Save this filter
          </MenuItem>
        )}
        {maySave && saved.length > 0 && (
          <MenuItem icon={<Pencil aria-hidden />} onClick={() => setDialog('manage')}>
            Rename or delete
          </MenuItem>
        )}
      </Menu>
      <Suspense>
        {dialog === 'save' && (
          <SaveSegmentDialog
            scope={scope}
            segment={segment}
            status={status}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog === 'manage' && <ManageSegments scope={scope} onClose={() => setDialog(undefined)} />}
      </Suspense>
    </>
  );
}

/** People of its status, or of all. */
function viewOf({ conditions }: SavedSegment): Partial<QueueSearch> {
  const tab: QueueTab = conditions.status ?? 'all';
  return { tab: tab === 'waiting' ? undefined : tab, search: undefined, at: undefined, order: undefined };
}
