import './drop.css';
import { useEffect, useState } from 'preact/hooks';
import { opening, openFiles, shortName } from '../state/profiles';
import { go, state } from '../state/state';
import { Icon, toast } from './parts';

/** Opens files and shows the first, or compares with it. */
export async function open(files: readonly File[], as: 'profile' | 'base' = 'profile'): Promise<void> {
  if (files.length === 0) return;
  const before = state.peek().profile;
  const { opened, failed } = await openFiles(files);
  for (const { name, reason } of failed) toast(`Couldn’t open ${name}: ${reason}`, 'error');
  const first = opened[0];
  if (!first) return;
  if (as === 'base') {
    go({ base: opened.map((p) => p.id) });
    return;
  }
  go({ profile: [first.id], base: [], own: {} });
  const others = opened.length - 1;
  const known = before.length > 0 && !before.includes(first.id);
  toast(
    `Opened ${shortName(first.name)}${others > 0 ? ` and ${others} more` : ''}`,
    'done',
    known
      ? { label: 'Compare with the last one', run: () => go({ base: before }) }
      : others > 0
        ? { label: 'Compare with the second', run: () => go({ base: [opened[1]!.id] }) }
        : undefined,
  );
}

/** Asks for files with the browser's dialog. */
export function openFileDialog(as: 'profile' | 'base' = 'profile'): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.addEventListener('change', () => void open([...(input.files ?? [])], as));
  input.click();
}

const hasFiles = (e: DragEvent) => e.dataTransfer?.types.includes('Files') ?? false;

/** Files dropped anywhere on the page are opened. */
export function DropTarget() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const drag = (e: DragEvent) => {
      if (!hasFiles(e)) return;
      e.preventDefault(); // says that a drop is welcome
      setOver(true);
    };
    const leave = (e: DragEvent) => {
      if (e.relatedTarget === null) setOver(false); // out of the window
    };
    const drop = (e: DragEvent) => {
      setOver(false);
      if (!hasFiles(e)) return;
      e.preventDefault();
      void open([...(e.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragenter', drag);
    addEventListener('dragover', drag);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', drag);
      removeEventListener('dragover', drag);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  const coming = opening.value;
  return (
    <>
      {over && (
        <div class="drop-overlay">
          <p><Icon name="file" />Drop profiles to open them</p>
        </div>
      )}
      <div class="opening" role="status">
        {coming.length > 0 && (
          <span class="opening-box">Opening {coming[0]}{coming.length > 1 ? ` and ${coming.length - 1} more` : ''}…</span>
        )}
      </div>
    </>
  );
}
