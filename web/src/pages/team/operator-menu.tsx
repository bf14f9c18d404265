import { Ellipsis, KeyRound, LogOut, Trash2, UserCog } from 'lucide-react';
import type { Operator } from '../../api/me.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx';
import type { OperatorQuestion } from './team-dialogs.tsx';

interface OperatorMenuProps {
  operator: Operator;
  onAsk: (question: OperatorQuestion) => void;
}

/** What can be done with somebody else on the team. */
export function OperatorMenu({ operator, onAsk }: OperatorMenuProps) {
  const ask = (kind: OperatorQuestion['kind']) => () => onAsk({ kind, operator });
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${operator.email || operator.id}`} size="sm">
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem icon={<UserCog aria-hidden />} onClick={ask('role')}>
        Change role
      </MenuItem>
      {operator.state !== 'damaged' && (
        <MenuItem icon={<KeyRound aria-hidden />} onClick={ask('reset')}>
          {operator.state === 'invited' ? 'New invitation link' : 'Password reset link'}
        </MenuItem>
      )}
      <MenuItem icon={<LogOut aria-hidden />} onClick={ask('sessions')}>
        Sign out everywhere
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<Trash2 aria-hidden />} danger onClick={ask('remove')}>
        Remove
      </MenuItem>
    </Menu>
  );
}
