import { Chunk } from './Chunk';
import { Popover } from './parts';

const panel = () => import('./SavedPanel');

export function SavedViews() {
  return (
    <Popover icon="bookmark" label="Saved filters" align="end" class="saved">
      {(close) => <Chunk load={panel} props={{ close }} />}
    </Popover>
  );
}
