/** Characters that read as ASCII ones, or that only imitate them (pipeline.md §5, H-10). Data only. */

/**
 * Single characters of the scripts that are shown, each a near twin of an ASCII letter, digit or
 * sign. The forms that Unicode itself maps to ASCII (fullwidth, mathematical …) need no row here.
 */
export const CONFUSABLES: ReadonlySet<string> = new Set([
  // Latin without a diacritic that would tell it apart
  ...'ıȷĸƄƅƖƦƧƨƼƽƿǀǁǂǃȜȝȢȣ',
  // Greek
  ...'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿϜϺαβγεηικνορστυχωϱϳϸ',
  // Cyrillic
  ...'АВЕЅЗІЈКМНОРСТУХЬҮҺӀԀԌԚԜѴБагбезкіјопрсухьѕһӏԁԍԛԝѵѡүұ',
  // Armenian
  ...'ԼՈՍՏՕագզհյոսցւքօ',
  // Georgian
  ...'ႽႱყჿი',
  // Han, kana and their marks
  ...'一丨丶丿〇工卜口ノニロハヘへー',
  // Letters that are a ring or a cup
  ...'ഠଠဝዐሀ',
  // Quotes, dashes and dots that ordinary prose uses
  ...'“”‘’—–…·',
])

/** Signs beyond letters and digits that ordinary text needs and that imitate nothing in ASCII. */
export const PLAIN_SIGNS: ReadonlySet<string> = new Set([...'¡¿§©®€£、。「」『』【】〆'])

/** Letters of these scripts are shown; every other script is escaped as a whole (UAX 31, table 5). */
export const SHOWN_LETTER: RegExp =
  /^(?:\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Armenian}|\p{Script=Georgian}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}|\p{Script=Hangul}|\p{Script=Ethiopic}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Gurmukhi}|\p{Script=Gujarati}|\p{Script=Oriya}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Tibetan}|\p{Script=Myanmar}|\p{Script=Khmer})$/u

/** Marks of these scripts are part of ordinary spelling; all other marks are escaped. */
export const SHOWN_MARK: RegExp =
  /^(?:\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Gurmukhi}|\p{Script=Gujarati}|\p{Script=Oriya}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Tibetan}|\p{Script=Myanmar}|\p{Script=Khmer})$/u

/**
 * Letters that never pass, whatever their script: right-to-left blocks, which reorder what stands
 * beside them; phonetic and historic Latin and Cyrillic, which imitate; Hangul parts, which join.
 */
export const NEVER_SHOWN: RegExp =
  /^[\u0250-\u036f\u0590-\u08ff\u10a0-\u10bc\u1100-\u11ff\u1c80-\u1c8f\u1d00-\u1dbf\u2c60-\u2c7f\u2de0-\u2dff\ua640-\ua69f\ua720-\ua7ff\ua960-\ua97f\uab30-\uab6f\ud7b0-\ud7ff\ufb00-\ufdff\ufe70-\ufeff\u{10780}-\u{10fff}\u{1df00}-\u{1dfff}\u{1e030}-\u{1e08f}\u{1e800}-\u{1efff}]$/u
