import { Fragment } from 'preact';
import './commandtext.css';

/** A command. Its lines break only between words, never after the dash of a flag. */
export function CommandText({ text }: { text: string }) {
  return <>{text.split(' ').map((word, i) => <Fragment key={i}>{i > 0 && ' '}<span class="command-word">{word}</span></Fragment>)}</>;
}
