import { useState } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import { EDITORS, editorNames, type Editor } from '../../model/places';
import { editor, pathFrom, pathTo, repositoryPrefix, repositoryTemplate, useEditor } from '../../state/editors';
import { Button, Dialog } from '../parts';
import './editors.css';

/** Settings for opening code in an editor or repository. They are kept in this browser. */
export default function EditorSettings({ onClose }: { onClose: () => void }) {
  const [chosen, choose] = useState<Editor>(editor());
  const from = useField(pathFrom);
  const to = useField(pathTo);
  const prefix = useField(repositoryPrefix);
  const template = useField(repositoryTemplate);
  const problem = template.value !== '' && !/^https?:\/\//.test(template.value) ? 'A link begins with https:// or http://' : '';
  return (
    <Dialog title="Editor and repository" onClose={onClose}>
      <form
        class="editor-form"
        onSubmit={(e) => {
          e.preventDefault();
          if (problem) return;
          useEditor(chosen);
          for (const field of [from, to, prefix, template]) field.save();
          onClose();
        }}
      >
        <label>
          Editor
          <select class="find" value={chosen} onChange={(e) => choose(e.currentTarget.value as Editor)}>
            {EDITORS.map((e) => <option key={e} value={e}>{editorNames[e]}</option>)}
          </select>
        </label>
        <fieldset>
          <legend>If the program was built elsewhere</legend>
          <label>Its paths begin with<input class="find mono" placeholder="/build/shop/" {...from.input} /></label>
          <label>Here that is<input class="find mono" placeholder="/home/me/shop/" {...to.input} /></label>
        </fieldset>
        <fieldset>
          <legend>If the code is not on GitHub, GitLab, Bitbucket or Codeberg</legend>
          <label>Modules that begin with<input class="find mono" placeholder="example.com/shop" {...prefix.input} /></label>
          <label>
            Link to a line
            <input
              class="find mono"
              placeholder="https://git.example.com/shop/blob/{ref}/{path}#L{line}"
              {...(problem ? { 'aria-invalid': true } : {})}
              {...template.input}
            />
          </label>
        </fieldset>
        {problem && <p class="form-problem" role="alert">{problem}</p>}
        <p class="soft">Kept in this browser.</p>
        <div class="button-row"><Button kind="primary" type="submit" disabled={problem !== ''}>Save</Button></div>
      </form>
    </Dialog>
  );
}

function useField(kept: Signal<string>) {
  const [value, setValue] = useState(kept.peek());
  return {
    value, save: () => { kept.value = value.trim(); },
    input: {
      value, spellcheck: false, autocomplete: 'off', onInput: (e: { currentTarget: HTMLInputElement }) => setValue(e.currentTarget.value),
    },
  };
}
