import { useState } from 'preact/hooks';
import { markers, postNote, removeMarker } from '../../api/continuous';
import { useAnswer } from '../../state/answer';
import { markersChanged, markersRound } from '../../state/continuous';
import { permanent } from '../../state/permalink';
import { shownName } from '../../state/profiles';
import { timeText } from '../../state/selection';
import { selected } from '../../state/selected';
import { state } from '../../state/state';
import { Button, Dialog, Failure, IconButton, toast } from '../parts';
import { plural } from '../table/format';
import { tooMany } from './size';
import './share.css';

const MOST = 2000; // bytes, as the server allows

/** Shows the notes on the selected profiles, and a form to add one. */
export default function NotesDialog({ onClose }: { onClose: () => void }) {
  const [id] = useState(() => permanent(state.peek(), Date.now()).profile[0] ?? '');
  const [text, setText] = useState('');
  const { answer, error, retry } = useAnswer(
    `${id} ${markersRound.value}`, async (signal) => ({ notes: await markers({ profile: id }, signal) }),
  );
  const change = async (what: Promise<void>) => {
    try {
      await what;
      markersChanged();
      return true;
    } catch (err) {
      toast(err instanceof Error ? err.message : String(err), 'error');
      return false;
    }
  };
  const over = tooMany(text.trim(), MOST);
  return (
    <Dialog title="Notes" onClose={onClose}>
      <div class="share-form">
        <p class="soft share-name">On {shownName([id])}</p>
        {error && retry && <Failure error={error} retry={retry} />}
        {answer && answer.report.notes.length === 0 && <p>No notes yet. Everyone who sees these profiles sees their notes.</p>}
        {answer && answer.report.notes.length > 0 && (
          <ul class="notes" aria-label="Notes">
            {answer.report.notes.map((note) => (
              <li key={note.id}>
                <p class="share-name">{note.text}</p>
                <p class="soft">{[note.by, timeText(note.time)].filter(Boolean).join(' · ')}</p>
                <IconButton icon="trash" label="Remove this note" onClick={() => void change(removeMarker(note.id))} />
              </li>
            ))}
          </ul>
        )}
        <form
          class="share-form"
          onSubmit={(e) => {
            e.preventDefault();
            if (text.trim()) void change(postNote(id, text.trim(), selected.peek()?.from ?? 0)).then((done) => done && setText(''));
          }}
        >
          <label>
            Your note
            <textarea
              class="find" value={text} aria-describedby="note-size"
              onInput={(e) => setText(e.currentTarget.value.replaceAll(/\s*\n\s*/g, ' '))}
            />
          </label>
          <span id="note-size" class="form-problem" role="status">{over > 0 ? `Shorten it by ${plural(over, 'character')}` : ''}</span>
          <div class="button-row"><Button kind="primary" type="submit" disabled={!text.trim() || over > 0}>Add</Button></div>
        </form>
      </div>
    </Dialog>
  );
}
