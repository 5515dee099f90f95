// The clipboard.

import { toast } from './stream.js'

/** Copies a text. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    toast('copied')
  } catch {
    toast('this browser does not let pages copy; select the text and copy it')
  }
}
